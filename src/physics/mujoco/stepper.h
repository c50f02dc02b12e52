#pragma once

#include <span>
#include <string>
#include <vector>

#include "physics/mujoco/dynamics.h"
#include "physics/mujoco/impacts.h"
#include "physics/mujoco/runge_kutta.h"
#include "physics/mujoco/step_tracker.h"
#include "physics/mujoco/stiff_damping.h"
#include "physics/mujoco/substeps.h"
#include "physics/mujoco/tree_matrix.h"
#include "physics/mujoco/turning_trees.h"
#include "physics/mujoco/work_meter.h"

namespace lockstep {

/// Checks MuJoCo's results. MuJoCo itself would reset a diverged state and drop contacts above its capacity;
/// here both are a Status that names the body.
class HealthCheck {
 public:
  explicit HealthCheck(const MujocoInstance& instance) : instance_(instance) {}

  /// Each returns false on an error, with outcome, subject and cause in the status.
  bool has_good_acceleration(Status& status) const;
  bool has_good_state(Status& status) const;
  bool has_capacity(Status& status) const;
  /// The same for mj_step2(), which resets everything if it finds a bad acceleration.
  bool survived_reset(Status& status) const;
  /// Sets the status of a tree that rotates too far in one step, given one of its degrees of freedom.
  void set_rotates_too_far(int dof, Status& status) const;

 private:
  std::string name_of_dof(int dof) const;
  std::string name_of_coordinate(int coordinate) const;

  const MujocoInstance& instance_;
};

/// Takes steps of the simulation.
///
/// MuJoCo's own mj_step() computes Cartesian data, then integrates, and so leaves them one step behind. Here
/// the same stages run in another order: forces, integration, then positions and velocities of the new instant.
/// The trajectory is the same bit for bit and the cost is the same, except for rotations of free and ball
/// joints, where MuJoCo's are wrong (MujocoOptions::steady_spin), for contacts (contact_rules.h, impacts.h), and
/// for damping that would make Runge-Kutta diverge (stiff_damping.h).
///
/// A step: resolve the impacts (impacts.h), count the substeps, and then, in each substep, resolve the impacts
/// that the last one led to, let the forces act and integrate, and correct the rotations (turning_trees.h).
class Stepper {
 public:
  Stepper(MujocoInstance& instance, Dynamics& dynamics, const AppliedForces& forces, StepTracker& tracker,
          WorkMeter& meter);

  /// Advances by one step, in substeps if a body is so fast that it would pass through another one (substeps.h).
  /// `start_qvel` holds the current velocities. If it returns false, the status has the cause and MuJoCo's data
  /// must be restored, as after a MujocoError.
  bool advance(std::vector<double>& start_qvel, Status& status);

  /// Whether the solver has the capacity for the current instant.
  bool has_capacity(Status& status) const { return health_.has_capacity(status); }
  /// After the capacity of the solver has grown.
  void fit_capacity() { impacts_.fit_capacity(*instance_.m); }

 private:
  bool take_substep(std::vector<double>& start_qvel, Status& status);
  /// Whether constraints act on joints with stiff damping in this step.
  bool holds_stiff_damping();
  /// Accelerations and the forces of constraints, consistent with this part of the damping being implicit.
  void calc_acceleration(std::span<const double> implicit_damping);
  bool advance_by_runge_kutta(Status& status);
  /// Euler and implicit.
  bool advance_once(const std::vector<double>& start_qvel, Status& status);
  bool advance_by_mujocos_implicit(std::vector<double>& start_qvel, Status& status);
  /// Of joints, and with the implicit integrator of springs and ropes.
  void solve_with_implicit_damping();
  bool resolve_impacts();  ///< whether there were any
  /// At the current positions: whether there were any, and adds the work of drives in them, J.
  bool resolve_hits(double& drive_work);
  class ActuatorDamping;
  void set_actuator_damping(bool is_on);

  MujocoInstance& instance_;
  Dynamics& dynamics_;
  const AppliedForces& forces_;
  StepTracker& tracker_;
  WorkMeter& meter_;
  HealthCheck health_;
  RungeKutta4 runge_kutta_;
  Impacts impacts_;
  SubstepCounter substeps_;
  StiffDamping stiff_damping_;
  TurningTrees turning_trees_;
  TreeMatrix matrix_;
  std::vector<double> own_damping_;  // of degrees of freedom and tendons, without actuators
  std::vector<double> gradient_;
  std::vector<double> after_forces_;  // velocities
  std::vector<double> substep_qvel_;  // velocities at the start of a substep
};

}  // namespace lockstep
