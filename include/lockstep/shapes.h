#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/math.h"

/// Shapes as plain data: what collides, what is drawn and what masses are computed from. A shape is in a frame
/// of its own, with its centre at the origin unless said otherwise; where it is on a body is said beside it.
namespace lockstep {

/// Red, green, blue and opacity, each 0…1; opacity 1 hides what is behind.
using Color = std::array<double, 4>;

/// A cuboid along the axes.
struct Box {
  Vec3 size = Vec3::Ones();  ///< full edge lengths, m
};
/// A ball.
struct Sphere {
  double radius = 0.5;  ///< m
};
/// A cylinder along z with half a sphere on each end; in all it is `length + 2 * radius` long.
struct Capsule {
  double radius = 0.1;  ///< m
  double length = 1.0;  ///< along z, without the caps, m
};
/// A cylinder along z.
struct Cylinder {
  double radius = 0.1;  ///< m
  double length = 1.0;  ///< along z, m
};

/// Triangles that share vertices. Collides as its convex hull; is drawn as it is.
struct Mesh {
  std::vector<Vec3> vertices;                       ///< m
  std::vector<std::array<std::uint32_t, 3>> faces;  ///< counter-clockwise seen from outside
};

/// Heights on a regular grid, each 0…1; their scale is said beside it.
///
///     height of (row, column) = heights[row * columns + column]
///
/// Row 0 is at the smallest y, column 0 at the smallest x. (Images have their first row at the top, that is at
/// the largest y: the reader turns them.)
struct Heightmap {
  std::size_t rows = 0;        ///< along y
  std::size_t columns = 0;     ///< along x
  std::vector<float> heights;  ///< rows * columns of them
};

/// Mass, centre of mass C and inertia of a rigid body B of any density.
struct MassProperties {
  double mass = 0.0;            ///< kg
  Vec3 center = Vec3::Zero();   ///< p_BC_B, m
  Mat3 inertia = Mat3::Zero();  ///< about the centre C, in axes of B, kg m^2
};

}  // namespace lockstep
