#include "lockstep/math.h"

namespace lockstep {

Quat rotation_between(const Vec3& from, const Vec3& to) {
  return Quat::FromTwoVectors(from, to);  // only here: it instantiates the templates of a decomposition
}

}  // namespace lockstep
