#pragma once

#include <span>

#include "lockstep/shapes.h"

namespace lockstep {

/// The convex hull of points as a closed mesh. Coplanar, collinear or equal points get a small thickness first.
/// Requires at least one point.
Mesh convex_hull(std::span<const Vec3> points);

/// Whether all points are in a plane within rounding. Requires at least one point.
bool is_flat(std::span<const Vec3> points);

}  // namespace lockstep
