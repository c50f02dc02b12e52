#pragma once

#include <span>

#include "lockstep/shapes.h"

namespace lockstep {

/// The convex hull of some points as a closed mesh. Points of one plane, one line or one place get a little
/// thickness first. There must be at least one.
Mesh convex_hull(std::span<const Vec3> points);

}  // namespace lockstep
