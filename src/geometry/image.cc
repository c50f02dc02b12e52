#include "geometry/image.h"

#include <png.h>

#include "lockstep/error.h"

namespace lockstep {

std::string encode_png(const Image& image) {
  LOCKSTEP_CHECK(image.rgb.size() ==
                 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  header.flags = PNG_IMAGE_FLAG_FAST;

  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(header), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) == 0) {
    throw std::bad_alloc();  // the only possible error for an image in memory
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace lockstep
