#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

namespace lockstep {

/// The classic fourth-order Runge-Kutta method, with exactly the operations of MuJoCo's, so that the bits
/// agree. MuJoCo's own cannot be used because it would compute contacts without our rules.
class RungeKutta4 {
 public:
  explicit RungeKutta4(const mjModel& m);

  /// Advances qpos and qvel by one step. `d` holds the acceleration at its start; `evaluate` computes it after
  /// qpos and qvel have changed, and returns false to abort.
  template <typename Evaluate>
  bool step(const mjModel& m, mjData& d, Evaluate evaluate) {
    begin(d);
    for (std::size_t stage = 1; stage < kStages; ++stage) {
      move_to_stage(m, d, stage);
      if (!evaluate()) return false;
      keep_slopes(d, stage);
    }
    finish(m, d);
    return true;
  }

 private:
  static constexpr std::size_t kStages = 4;

  void begin(const mjData& d);
  void move_to_stage(const mjModel& m, mjData& d, std::size_t stage);
  void keep_slopes(const mjData& d, std::size_t stage);
  void finish(const mjModel& m, mjData& d);

  int nq_ = 0;
  int nv_ = 0;
  std::vector<double> start_qpos_;
  std::array<std::vector<double>, kStages> velocity_;
  std::array<std::vector<double>, kStages> acceleration_;
  std::vector<double> mean_velocity_;
  std::vector<double> mean_acceleration_;
};

}  // namespace lockstep
