#include "geometry/heightmap_writer.h"

#include <png.h>

#include <cmath>
#include <cstdint>
#include <new>

#include "lockstep/error.h"

namespace lockstep {

std::string write_heightmap(const Heightmap& map) {
  LOCKSTEP_CHECK(map.heights.size() == map.rows * map.columns);
  std::vector<png_uint_16> pixels(map.heights.size());
  for (std::size_t row = 0; row < map.rows; ++row) {
    for (std::size_t column = 0; column < map.columns; ++column) {
      const double height = map.heights[(map.rows - 1 - row) * map.columns + column];
      pixels[row * map.columns + column] = static_cast<png_uint_16>(std::lround(height * 65535.0));
    }
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(map.columns);
  image.height = static_cast<png_uint_32>(map.rows);
  image.format = PNG_FORMAT_LINEAR_Y;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    throw std::bad_alloc();
  bytes.resize(size);
  return bytes;
}

}  // namespace lockstep
