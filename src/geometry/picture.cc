#include "geometry/picture.h"

#include <png.h>

#include "base/error.h"

namespace lockstep {

std::string encode_png(const Picture& picture) {
  LOCKSTEP_CHECK(picture.rgb.size() ==
                 3 * static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;

  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgb.data(), 0, nullptr) == 0) {
    throw std::bad_alloc();  // nothing else can go wrong with a picture in memory
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace lockstep
