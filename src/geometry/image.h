#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {

/// An image of red, green and blue bytes, row by row from the top, each row from the left.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;

  const std::uint8_t* pixel(int x, int y) const {
    return rgb.data() +
           3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
};

/// Between colours as stored in images and scenarios (sRGB) and linear ones, each 0…1.
double to_linear(double srgb);
double to_srgb(double linear);

/// The image of a PNG file, without its opacity; the reason if it is damaged, no PNG, or larger.
Result<Image> decode_png(std::string_view bytes, std::size_t max_pixels);

/// The bytes of a PNG file.
std::string encode_png(const Image& image);

}  // namespace lockstep
