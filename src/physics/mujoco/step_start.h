#pragma once

#include <vector>

#include "physics/mujoco/dynamics.h"
#include "physics/mujoco/forces.h"

namespace lockstep {

/// All that a step begins with: what to go back to if it fails, and what a snapshot holds.
///
/// A snapshot holds what the last step began with; restoring takes that step again. So everything an observer
/// can see of it (contact forces, accelerations, forces at joints) is there again, bit for bit, and yet the
/// bytes, and with them the hash of a run, do not depend on who is looking.
struct StepStart {
  std::vector<double> qpos;
  std::vector<double> qvel;
  std::vector<double> warmstart;
  std::vector<DetachableJoints::State> detachable;
  AppliedForces::Values forces;
};

/// In full size, without values, so that copy_start() never allocates.
StepStart make_start(const MujocoInstance& instance, const AppliedForces& forces);
/// Where `instance` is now and what is handed over for the coming step.
void copy_start(const MujocoInstance& instance, const Dynamics& dynamics, const AppliedForces& forces,
                StepStart& start);

/// Puts positions, velocities and joints back; forces are left to the caller.
void go_to(const StepStart& start, MujocoInstance& instance, Dynamics& dynamics);

void write_start(const StepStart& start, StateWriter& writer);
/// The same bytes, of where `instance` is now and without forces.
void write_resting_start(const MujocoInstance& instance, const Dynamics& dynamics, StateWriter& writer);
StepStart read_start(StateReader& reader, const MujocoInstance& instance, const AppliedForces& forces);

void write_states(const std::vector<DetachableJoints::State>& states, StateWriter& writer);
std::vector<DetachableJoints::State> read_states(StateReader& reader, const MujocoInstance& instance);

/// Finite numbers, or StateError.
std::vector<double> read_numbers(StateReader& reader, int count);
/// `count` of MuJoCo's numbers.
void write_numbers(const double* numbers, int count, StateWriter& writer);

}  // namespace lockstep
