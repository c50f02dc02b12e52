#pragma once

#include <string>

#include "lockstep/shapes.h"

namespace lockstep {

/// Writes a heightmap as a 16-bit grey PNG for read_heightmap(). Heights from 8 or 16-bit images read back
/// exactly.
std::string write_heightmap(const Heightmap& map);

}  // namespace lockstep
