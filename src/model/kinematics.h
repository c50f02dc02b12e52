#pragma once

#include <span>
#include <vector>

#include "lockstep/model.h"

namespace lockstep {

/// Whether a body never moves relative to its parent: it has no joint, or a fixed one that is not detachable.
inline bool is_welded(const Model& model, const BodyModel& body) {
  if (!body.joint) return true;
  const JointModel& joint = model.joint(*body.joint);
  return joint.type == JointType::kFixed && !joint.detachable;
}

/// Motion of a body by its joint at position q: X_BB' relative to the zero position. Identity for a free joint.
Pose joint_motion(const JointModel& joint, std::span<const double> q);

/// Sets the initial position of every coupled joint from its leader.
void follow_couplings(Model& model);

/// X_WB of every body at the start of the scenario, by forward kinematics of the trees.
std::vector<Pose> calc_initial_poses(const Model& model);

/// The same with hinges and slides at these positions, rad or m, by JointId; others are at their initial ones.
std::vector<Pose> calc_poses(const Model& model, std::span<const double> positions);

}  // namespace lockstep
