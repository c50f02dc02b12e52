#pragma once

#include <cstdint>
#include <span>

#include "base/error.h"
#include "geometry/heightmap.h"

namespace lockstep {

/// Reads a PNG (1 to 16 bit, grey, palette or colour, with or without alpha, interlaced or not) as heights:
/// 0 for black, 1 for white; colours by their luminance. Throws UserError at `place`. The size is checked
/// against kMaxHeightmapCells before any pixel is decoded.
Heightmap read_heightmap(std::span<const std::uint8_t> png, const Place& place);

inline constexpr std::size_t kMaxHeightmapCells = 4096 * 4096;

}  // namespace lockstep
