#pragma once

#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/model_options.h"

/// Bodies that are connected by equality constraints instead of the kinematic tree: closed loops and detachable
/// joints.
namespace lockstep {

enum class ClosureKind { kPoint, kFrame };

/// One equality constraint of MuJoCo: the origins of frame E on both bodies coincide, and with kFrame their
/// axes too.
struct Closure {
  ClosureKind kind = ClosureKind::kPoint;
  BodyId a = kWorldBody;
  BodyId b = kWorldBody;
  Pose X_AE;
  Pose X_BE;
  Firmness firmness = {};
  std::optional<Vec3> impedance = {};
};

/// A joint whose child is a free body and is held by closures while it is attached.
struct DetachableJoint {
  JointId joint{};
  std::size_t first_closure = 0;
  std::size_t closure_count = 0;
};

struct Closures {
  std::vector<Closure> all;  ///< first those of loops, in the order of the model, then of detachable joints
  std::vector<DetachableJoint> detachable;
};

Closures make_closures(const Model& model, const MujocoModelOptions& options);

bool is_detachable(const Model& model, const BodyModel& body);

}  // namespace lockstep
