#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/dynamics.h"
#include "physics/mujoco/impacts.h"
#include "physics/mujoco/runge_kutta.h"
#include "physics/mujoco/step_tracker.h"
#include "physics/mujoco/stiff_damping.h"
#include "physics/mujoco/tree_matrix.h"
#include "physics/mujoco/turning_trees.h"

namespace lockstep {

/// Whether MuJoCo's numbers can be trusted. MuJoCo itself would reset a diverged state and drop contacts it has
/// no memory for; here both are a Status that names the body.
class HealthCheck {
 public:
  explicit HealthCheck(const MujocoInstance& instance) : instance_(instance) {}

  /// Each returns false, with outcome, subject and cause in the status, if something is wrong.
  bool has_good_acceleration(Status& status) const;
  bool has_good_state(Status& status) const;
  bool has_capacity(Status& status) const;
  /// The same for mj_step2(), which has reset everything when it found a bad acceleration.
  bool survived_reset(Status& status) const;
  /// For a degree of freedom whose tree turns too far in one step.
  void set_turns_too_far(int dof, Status& status) const;

 private:
  std::string name_of_dof(int dof) const;
  std::string name_of_coordinate(int coordinate) const;

  const MujocoInstance& instance_;
};

/// Takes steps.
///
/// MuJoCo's own mj_step() computes Cartesian data, then integrates, and so leaves them one step behind. Here
/// the same pieces run in another order: what depends on forces, integration, then positions and velocities of
/// the new instant. The trajectory is the same bit for bit and the cost is the same, but for what turns on free
/// and ball joints, where MuJoCo's is wrong (MujocoOptions::steady_spin), and for damping that would make
/// Runge-Kutta diverge.
class Stepper {
 public:
  Stepper(MujocoInstance& instance, Dynamics& dynamics, StepTracker& tracker);

  /// From one instant to the next. `start_qvel` holds the velocities of now. If it returns false, the status
  /// says why and MuJoCo's data must be set again; so they must if it throws MujocoError.
  bool advance(std::vector<double>& start_qvel, Status& status);

 private:
  bool advance_by_runge_kutta(Status& status);
  /// Euler and implicit.
  bool advance_once(Status& status);
  bool advance_by_mujocos_implicit(std::vector<double>& start_qvel, Status& status);
  void solve_with_implicit_damping();
  void resolve_impacts();

  MujocoInstance& instance_;
  Dynamics& dynamics_;
  StepTracker& tracker_;
  HealthCheck health_;
  RungeKutta4 runge_kutta_;
  Impacts impacts_;
  StiffDamping stiff_damping_;
  TurningTrees turning_trees_;
  TreeMatrix matrix_;
  std::vector<double> gradient_;
};

}  // namespace lockstep
