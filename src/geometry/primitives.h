#pragma once

#include "base/math.h"

namespace lockstep {

struct Box {
  Vec3 size = Vec3::Ones();  ///< full edge lengths, m
};
struct Sphere {
  double radius = 0.5;  ///< m
};
struct Capsule {
  double radius = 0.1;  ///< m
  double length = 1.0;  ///< along z, without the caps, m
};
struct Cylinder {
  double radius = 0.1;  ///< m
  double length = 1.0;  ///< along z, m
};

}  // namespace lockstep
