#pragma once

#include <vector>

#include "physics/mujoco/dynamics.h"
#include "physics/mujoco/forces.h"

namespace lockstep {

/// The state at the start of a step: restored if the step fails, and saved in a snapshot.
///
/// A snapshot holds the start of the last step; restoring it repeats that step. So everything that an observer
/// can see of the step (contact forces, accelerations, joint forces) is restored bit for bit, and the bytes,
/// and with them the hash of a run, do not depend on the observers.
struct StepStart {
  std::vector<double> qpos;
  std::vector<double> qvel;
  std::vector<double> warmstart;
  std::vector<DetachableJoints::State> detachable;
  std::vector<DrivenJoints::Target> targets;
  AppliedForces::Values forces;
};

/// Allocated in full size, without values, so that copy_start() never allocates.
StepStart make_start(const MujocoInstance& instance, const AppliedForces& forces);
/// Copies the current state of `instance` and the forces for the next step.
void copy_start(const MujocoInstance& instance, const Dynamics& dynamics, const AppliedForces& forces,
                StepStart& start);

/// Restores positions, velocities and joints; the caller restores the forces.
void restore_start(const StepStart& start, MujocoInstance& instance, Dynamics& dynamics);

void write_start(const StepStart& start, StateWriter& writer);
/// The same bytes for the current state of `instance`, without forces.
void write_resting_start(const MujocoInstance& instance, const Dynamics& dynamics, StateWriter& writer);
StepStart read_start(StateReader& reader, const MujocoInstance& instance, const AppliedForces& forces);

void write_states(const std::vector<DetachableJoints::State>& states, StateWriter& writer);
std::vector<DetachableJoints::State> read_states(StateReader& reader, const MujocoInstance& instance);

/// Targets of driven joints; NaN is allowed.
void write_targets(const std::vector<DrivenJoints::Target>& targets, StateWriter& writer);
std::vector<DrivenJoints::Target> read_targets(StateReader& reader, const MujocoInstance& instance);

/// Reads finite numbers; throws StateError otherwise.
std::vector<double> read_numbers(StateReader& reader, int count);
/// Writes an array of MuJoCo.
void write_numbers(const double* numbers, int count, StateWriter& writer);

}  // namespace lockstep
