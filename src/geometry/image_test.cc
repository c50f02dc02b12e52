#include "geometry/image.h"

#include <gtest/gtest.h>
#include <png.h>

namespace lockstep {
namespace {

TEST(Image, ReadsBackUnchangedFromPng) {
  Image image{.width = 5, .height = 3, .rgb = {}};
  for (int i = 0; i < 3 * 5 * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(37 * i));
  const std::string bytes = encode_png(image);

  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(header.width, 5u);
  EXPECT_EQ(header.height, 3u);
  header.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> read(PNG_IMAGE_SIZE(header));
  ASSERT_NE(png_image_finish_read(&header, nullptr, read.data(), 0, nullptr), 0);
  EXPECT_EQ(read, image.rgb);
}

}  // namespace
}  // namespace lockstep
