#pragma once

#include <vector>

#include "model/model.h"

namespace lockstep {

/// X_WB of every body at the start of the scenario, by plain forward kinematics of the trees.
std::vector<Pose> calc_initial_poses(const Model& model);

}  // namespace lockstep
