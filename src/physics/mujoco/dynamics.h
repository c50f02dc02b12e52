#pragma once

#include <vector>

#include "physics/mujoco/instance.h"
#include "physics/mujoco/near_shapes.h"

namespace lockstep {

/// The stages of MuJoCo's forward dynamics, with our contact rules in between. It never calls mj_forward() or
/// mj_check…(): the former would change the warm start, the latter would reset a diverged state.
class Dynamics {
 public:
  explicit Dynamics(MujocoInstance& instance);

  /// After the capacity of the solver has grown.
  void fit_capacity() { row_acceleration_.resize(static_cast<std::size_t>(instance_.m->njmax)); }

  /// Computes everything that depends on qpos and qvel. Call it after changing either.
  void update_instant();
  /// The same in two halves: first everything that depends on qpos, then everything that depends on qvel.
  void update_positions();
  void update_velocities();
  /// Positions before MuJoCo normalises the quaternions: normalising twice gives other bits than once.
  const std::vector<double>& positions() const { return qpos_; }
  /// Writes positions() back to MuJoCo; update_instant() then repeats the instant bit for bit.
  void restore_positions();

  /// The single stages, for integrators. `at_an_instant` is false for intermediate stages within a step.
  void run_position_stage(bool at_an_instant);
  void run_velocity_stage();
  void make_constraints();
  void calc_acceleration();
  /// Whether calc_acceleration() may have to solve the constraints more than once.
  bool may_solve_again() const;

 private:
  void solve_constraints();
  void drop_damping_of_slack_ropes();

  MujocoInstance& instance_;
  std::vector<double> qpos_;
  std::vector<double> row_acceleration_;
  NearShapes near_shapes_;
  bool has_box_pairs_ = false;
};

}  // namespace lockstep
