#include "lockstep/math.h"

namespace lockstep {

Quat rotation_between(const Vec3& from, const Vec3& to) {
  return Quat::FromTwoVectors(from, to);  // here alone: it brings the templates of a decomposition with it
}

}  // namespace lockstep
