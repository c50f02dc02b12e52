#pragma once

#include <vector>

#include "physics/mujoco/instance.h"

namespace lockstep {

/// The stages of MuJoCo's forward dynamics, with our rules for contacts between them. It never calls
/// mj_forward() or mj_check…(): the former would move the warm start, the latter would reset a diverged state.
class Dynamics {
 public:
  explicit Dynamics(MujocoInstance& instance);

  /// All that follows from qpos and qvel at a new instant. Call it after changing either.
  void update_instant();
  /// The same in two halves: what follows from qpos, and then from qvel.
  void update_positions();
  void update_velocities();
  /// Positions of the instant before MuJoCo brings quaternions to unit length, which done twice gives other
  /// bits than done once.
  const std::vector<double>& positions() const { return qpos_; }
  /// Gives MuJoCo these positions back; update_instant() then repeats the instant bit for bit.
  void put_back_positions();

  /// The stages one by one, for integrators. `at_an_instant` is false between the instants of two steps.
  void run_position_stage(bool at_an_instant);
  void run_velocity_stage();
  void make_constraints();
  void calc_acceleration();

 private:
  void drop_damping_of_slack_ropes();

  MujocoInstance& instance_;
  std::vector<double> qpos_;
  bool has_box_pairs_ = false;
};

}  // namespace lockstep
