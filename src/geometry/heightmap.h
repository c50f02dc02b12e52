#pragma once

#include <cstddef>
#include <vector>

namespace lockstep {

/// Heights on a regular grid, 0…1. `heights[row * columns + column]`; row 0 lies at the smallest y, column 0
/// at the smallest x (images have their first row at the top, that is at the largest y: the reader turns it).
struct Heightmap {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> heights;
};

}  // namespace lockstep
