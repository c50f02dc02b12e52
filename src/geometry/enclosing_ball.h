#pragma once

#include <vector>

#include "lockstep/math.h"

namespace lockstep {

struct Ball {
  Vec3 center = Vec3::Zero();
  double radius = -1.0;  ///< below 0: contains nothing
};

/// The smallest ball around some points. Points of one plane get the smallest circle. The order of `points`
/// changes.
Ball enclosing_ball(std::vector<Vec3>& points);

}  // namespace lockstep
