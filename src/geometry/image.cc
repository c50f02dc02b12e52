#include "geometry/image.h"

#include <png.h>

#include <cmath>

#include "lockstep/error.h"

namespace lockstep {

double to_linear(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}

double to_srgb(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
}

Result<Image> decode_png(std::string_view bytes, std::size_t max_pixels) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()) == 0)
    return Failure{std::string("is not a PNG: ") + header.message};
  Image image;
  const bool is_too_large = std::size_t{header.width} * header.height > max_pixels;
  if (!is_too_large) {
    header.format = PNG_FORMAT_RGB;
    image.width = static_cast<int>(header.width);
    image.height = static_cast<int>(header.height);
    image.rgb.resize(PNG_IMAGE_SIZE(header));
    const png_color black{};
    png_image_finish_read(&header, &black, image.rgb.data(), 0, nullptr);
  }
  const std::string problem = is_too_large               ? "has too many pixels"
                              : PNG_IMAGE_FAILED(header) ? std::string("is damaged: ") + header.message
                                                         : "";
  png_image_free(&header);
  if (!problem.empty()) return Failure{problem};
  return image;
}

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
