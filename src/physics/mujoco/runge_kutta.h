#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

namespace lockstep {

/// The classic method of fourth order, with the very operations of MuJoCo's own, so that the bits agree; its
/// own cannot be used because it would compute contacts without our rules.
///
/// MuJoCo adds angular velocities of free and ball joints at different stages as if they were in the same axes,
/// which is of second order. With `corrects_turns` it is the rate of the rotation vector s since the start of
/// the step that is added, of fourth order (Munthe-Kaas):
///
///     s' = w + 1/2 s × w + 1/12 s × (s × w)
class RungeKutta4 {
 public:
  RungeKutta4(const mjModel& m, bool corrects_turns);

  /// Advances qpos and qvel by one step. `d` holds the acceleration at its start, and `evaluate` computes it
  /// after qpos and qvel were changed; it returns false to give up.
  template <typename Evaluate>
  bool step(const mjModel& m, mjData& d, Evaluate evaluate) {
    begin(d);
    for (std::size_t stage = 1; stage < kStages; ++stage) {
      move_to_stage(m, d, stage);
      if (!evaluate()) return false;
      keep_slopes(d, stage);
      correct_turns(m.opt.timestep, stage);
    }
    finish(m, d);
    return true;
  }

 private:
  static constexpr std::size_t kStages = 4;

  void begin(const mjData& d);
  void move_to_stage(const mjModel& m, mjData& d, std::size_t stage);
  void keep_slopes(const mjData& d, std::size_t stage);
  void correct_turns(double timestep, std::size_t stage);
  void finish(const mjModel& m, mjData& d);

  int nq_ = 0;
  int nv_ = 0;
  std::vector<int> turning_dofs_;  // the first of each three
  std::vector<double> start_qpos_;
  std::array<std::vector<double>, kStages> velocity_;
  std::array<std::vector<double>, kStages> acceleration_;
  std::vector<double> mean_velocity_;
  std::vector<double> mean_acceleration_;
};

}  // namespace lockstep
