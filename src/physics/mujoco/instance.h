#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

#include "physics/mujoco/compile.h"
#include "physics/mujoco/detachable.h"
#include "physics/mujoco/driven_joints.h"
#include "physics/mujoco/moved_bases.h"

namespace lockstep {

/// Where the values of a joint are in MuJoCo's arrays; cached because devices read them in every step.
struct JointPlace {
  std::span<const double> position;
  std::span<const double> velocity;
  double* applied = nullptr;     ///< in MuJoCo's qfrc_applied; null if MuJoCo has no such joint
  std::size_t force_offset = 0;  ///< within the forces of all joints
  std::size_t force_count = 0;
  bool is_simple = false;  ///< one degree of freedom that MuJoCo has, too
  bool detachable = false;
  bool is_moved_base = false;  ///< of MovedBases
};

/// MuJoCo's model and data of one world. The classes that make up a MujocoWorld share it, each with one job:
///
///     Dynamics       what follows from positions and velocities: frames, contacts, constraints, accelerations
///     AppliedForces  forces for the next step
///     Stepper        integrators, impacts, and errors of a step
///     StepTracker    contact forces, accelerations and joint reactions of the last step
///     StepStart      the state at the start of a step, to restore and to save
struct MujocoInstance {
  explicit MujocoInstance(const Model& model_of_world);
  MujocoInstance(const MujocoInstance&) = delete;
  MujocoInstance& operator=(const MujocoInstance&) = delete;

  /// Gives the solver a larger capacity; false if it has the largest one. In both cases `d` may be new, as
  /// after mj_makeData().
  bool grow();

  const Model& model;
  CompiledModel compiled;
  DetachableJoints detachable;
  MovedBases moved_bases;
  mjModel* const m;  ///< of `compiled`; owned by this world alone, so that closures can be switched
  DrivenJoints driven;
  MjDataPtr data;
  mjData* d = nullptr;             ///< of `data`
  std::vector<JointPlace> joints;  ///< by JointId
  std::size_t force_count = 0;     ///< of all joints together

 private:
  void place_joints();
};

/// Velocity of the point of MuJoCo's body that is at `point` (world) now, world axes. MuJoCo stores velocities
/// about the centre of mass of the whole tree; this is a faster mj_objectVelocity() in world axes.
Twist calc_point_velocity(const mjModel& m, const mjData& d, int body, const double* point);

/// Velocity of the origin of a body.
Twist calc_body_velocity(const MujocoInstance& instance, BodyId body);

}  // namespace lockstep
