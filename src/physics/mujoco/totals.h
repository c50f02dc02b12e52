#pragma once

#include "physics/mujoco/instance.h"
#include "physics/world.h"

/// Sums over the whole world, for World::report().
namespace lockstep {

Energy calc_energy(const MujocoInstance& instance);
Momentum calc_momentum(const MujocoInstance& instance);
SolverStatistics calc_statistics(const MujocoInstance& instance);

}  // namespace lockstep
