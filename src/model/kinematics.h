#pragma once

#include <vector>

#include "model/model.h"

namespace lockstep {

/// Whether a body never moves against its parent: it has no joint, or a fixed one that cannot be let go.
inline bool is_welded(const Model& model, const BodyModel& body) {
  if (!body.joint) return true;
  const JointModel& joint = model.joint(*body.joint);
  return joint.type == JointType::kFixed && !joint.detachable;
}

/// X_WB of every body at the start of the scenario, by plain forward kinematics of the trees.
std::vector<Pose> calc_initial_poses(const Model& model);

}  // namespace lockstep
