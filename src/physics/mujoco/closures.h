#pragma once

#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/model_options.h"

/// Where two bodies are held together by constraints instead of by the tree: closed loops, and joints that
/// can be let go.
namespace lockstep {

enum class ClosureKind { kPoint, kFrame };

/// One equality constraint of MuJoCo: the origins of frame E on both bodies meet, and with kFrame their axes
/// too.
struct Closure {
  ClosureKind kind = ClosureKind::kPoint;
  BodyId a = kWorldBody;
  BodyId b = kWorldBody;
  Pose X_AE;
  Pose X_BE;
  Firmness firmness = {};
  std::optional<Vec3> impedance = {};
};

/// A joint whose child floats freely and is held by closures as long as it is attached.
struct DetachableJoint {
  JointId joint{};
  std::size_t first_closure = 0;
  std::size_t closure_count = 0;
};

struct Closures {
  std::vector<Closure> all;  ///< the loops' first, in the order of the model, then those of detachable joints
  std::vector<DetachableJoint> detachable;
};

Closures make_closures(const Model& model, const MujocoModelOptions& options);

bool is_detachable(const Model& model, const BodyModel& body);

}  // namespace lockstep
