#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

namespace lockstep {

/// The classic fourth-order Runge-Kutta method, with exactly the operations of MuJoCo's, so that the bits
/// agree. MuJoCo's own cannot be used because it would compute contacts without our rules.
///
/// MuJoCo adds the angular velocities of free and ball joints from different stages as if they were in the same
/// axes, which has second order. With `corrects_rotations` the rates of the rotation vector s since the start of
/// the step are added instead, which has fourth order (Munthe-Kaas):
///
///     s' = w + 1/2 s × w + 1/12 s × (s × w)
class RungeKutta4 {
 public:
  RungeKutta4(const mjModel& m, bool corrects_rotations);

  /// Advances qpos and qvel by one step. `d` holds the acceleration at its start; `evaluate` computes it after
  /// qpos and qvel have changed to those of a stage, from 1, and returns false to abort.
  template <typename Evaluate>
  bool step(const mjModel& m, mjData& d, Evaluate evaluate) {
    begin(d);
    for (std::size_t stage = 1; stage < kStages; ++stage) {
      move_to_stage(m, d, stage);
      if (!evaluate(stage)) return false;
      keep_slopes(d, stage);
      correct_rotations(m.opt.timestep, stage);
    }
    finish(m, d);
    return true;
  }

  static constexpr std::size_t kStages = 4;
  /// Position of each stage within the step; each uses only the slopes of the previous stage.
  static constexpr std::array<double, kStages> kReach = {0.0, 0.5, 0.5, 1.0};
  /// The share of each stage in the step.
  static constexpr std::array<double, kStages> kWeight = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

 private:
  void begin(const mjData& d);
  void move_to_stage(const mjModel& m, mjData& d, std::size_t stage);
  void keep_slopes(const mjData& d, std::size_t stage);
  void correct_rotations(double timestep, std::size_t stage);
  void finish(const mjModel& m, mjData& d);

  int nq_ = 0;
  int nv_ = 0;
  std::vector<int> rotation_dofs_;  // the first of three, by joint
  std::vector<double> start_qpos_;
  std::array<std::vector<double>, kStages> velocity_;
  std::array<std::vector<double>, kStages> acceleration_;
  std::vector<double> mean_velocity_;
  std::vector<double> mean_acceleration_;
};

}  // namespace lockstep
