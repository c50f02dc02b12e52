#pragma once

#include <vector>

#include "lockstep/math.h"

namespace lockstep {

struct Ball {
  Vec3 center = Vec3::Zero();
  double radius = -1.0;  ///< below 0: empty
};

/// The smallest enclosing ball of points. For coplanar points, that of their smallest circle. Reorders
/// `points`.
Ball enclosing_ball(std::vector<Vec3>& points);

}  // namespace lockstep
