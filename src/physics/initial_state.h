#pragma once

#include <vector>

#include "lockstep/model.h"

/// What engines need to know of the start beyond the joints' own numbers.
namespace lockstep {

/// X_WB of every body with all joints at zero.
std::vector<Pose> calc_reference_poses(const Model& model);

/// Velocity of every body at the start, given its pose there (model/kinematics.h).
std::vector<Twist> calc_initial_velocities(const Model& model, const std::vector<Pose>& initial_poses);

/// Whether a body can ever move: it has a joint, or hangs on a body that can.
std::vector<bool> find_moving_bodies(const Model& model);

}  // namespace lockstep
