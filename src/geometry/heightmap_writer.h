#pragma once

#include <string>

#include "lockstep/shapes.h"

namespace lockstep {

/// A heightmap as a grey PNG of 16 bit, as read_heightmap() reads it. Heights from images of 8 or 16 bit come
/// back exactly.
std::string write_heightmap(const Heightmap& map);

}  // namespace lockstep
