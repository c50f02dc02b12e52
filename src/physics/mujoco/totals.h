#pragma once

#include "lockstep/world.h"
#include "physics/mujoco/instance.h"

/// Sums over the whole world, for World::report().
namespace lockstep {

Energy calc_energy(const MujocoInstance& instance);
Momentum calc_momentum(const MujocoInstance& instance);
SolverStatistics calc_statistics(const MujocoInstance& instance);

}  // namespace lockstep
