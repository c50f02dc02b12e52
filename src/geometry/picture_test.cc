#include "geometry/picture.h"

#include <gtest/gtest.h>
#include <png.h>

namespace lockstep {
namespace {

TEST(Picture, ReadBackFromPngItIsTheSame) {
  Picture picture{.width = 5, .height = 3, .rgb = {}};
  for (int i = 0; i < 3 * 5 * 3; ++i) picture.rgb.push_back(static_cast<std::uint8_t>(37 * i));
  const std::string bytes = encode_png(picture);

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(image.width, 5u);
  EXPECT_EQ(image.height, 3u);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> read(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, read.data(), 0, nullptr), 0);
  EXPECT_EQ(read, picture.rgb);
}

}  // namespace
}  // namespace lockstep
