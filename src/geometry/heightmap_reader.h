#pragma once

#include <cstdint>
#include <span>

#include "lockstep/error.h"
#include "lockstep/shapes.h"

namespace lockstep {

/// Reads a PNG (1 to 16 bit, grey, palette or colour, with or without alpha, interlaced or not) as heights:
/// 0 for black, 1 for white, linear in the stored values, 16 bit in full precision.
///
/// Colours are converted to luminance, 0.2126 R + 0.7152 G + 0.0722 B (Rec. 709) of the stored values: without
/// gamma correction, because terrain tools store heights, not light. Grey stored as colour gives the same
/// heights as grey. Transparency is ignored.
///
/// At least 2 x 2 pixels. Throws UserError at `place`; a truncated or damaged file is an error. The size is
/// checked against kMaxHeightmapCells before any pixel is decoded.
Heightmap read_heightmap(std::span<const std::uint8_t> png, const Place& place);

inline constexpr std::size_t kMaxHeightmapCells = 4096 * 4096;

}  // namespace lockstep
