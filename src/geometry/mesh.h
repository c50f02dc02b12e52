#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/math.h"

/// Triangle meshes and what can be computed from them.
namespace lockstep {

struct Mesh {
  std::vector<Vec3> vertices;                       ///< m
  std::vector<std::array<std::uint32_t, 3>> faces;  ///< counter-clockwise seen from outside
};

/// Mass, centre and inertia of a rigid body of any density.
struct MassProperties {
  double mass = 0.0;            ///< kg
  Vec3 center = Vec3::Zero();   ///< p_BC_B, m
  Mat3 inertia = Mat3::Zero();  ///< about the centre, body axes, kg m^2
};

}  // namespace lockstep
