#pragma once

#include <vector>

#include "lockstep/model.h"

/// The initial state of bodies, for engines.
namespace lockstep {

/// X_WB of every body with all joints at zero.
std::vector<Pose> calc_reference_poses(const Model& model);

/// Initial velocity of every body, in world axes, at these initial poses (model/kinematics.h).
std::vector<Twist> calc_initial_velocities(const Model& model, const std::vector<Pose>& initial_poses);

/// Whether each body can move: it has a joint, or is attached to a body that can move.
std::vector<bool> find_moving_bodies(const Model& model);
/// Whether drives alone move a body: all joints between it and the world are driven or fixed, and one is driven.
std::vector<bool> find_driven_bodies(const Model& model);

}  // namespace lockstep
