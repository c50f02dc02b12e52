#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/dynamics.h"
#include "physics/mujoco/impacts.h"
#include "physics/mujoco/runge_kutta.h"
#include "physics/mujoco/step_tracker.h"

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

 private:
  std::string name_of_dof(int dof) const;
  std::string name_of_coordinate(int coordinate) const;

  const MujocoInstance& instance_;
};

/// Takes steps of the simulation.
///
/// MuJoCo's own mj_step() computes Cartesian data, then integrates, and so leaves them one step behind. Here
/// the same stages run in another order: forces, integration, then positions and velocities of the new instant.
/// The trajectory is the same bit for bit and the cost is the same.
class Stepper {
 public:
  Stepper(MujocoInstance& instance, Dynamics& dynamics, StepTracker& tracker);

  /// Advances by one step. `start_qvel` holds the current velocities. If it returns false, the status has the
  /// cause and MuJoCo's data must be restored, as after a MujocoError.
  bool advance(std::vector<double>& start_qvel, Status& status);

 private:
  bool advance_explicitly(Status& status);
  bool advance_implicitly(std::vector<double>& start_qvel, Status& status);
  void resolve_impacts();

  MujocoInstance& instance_;
  Dynamics& dynamics_;
  StepTracker& tracker_;
  HealthCheck health_;
  RungeKutta4 runge_kutta_;
  Impacts impacts_;
};

}  // namespace lockstep
