#pragma once

#include <span>
#include <vector>

#include "physics/mujoco/raw_mujoco.h"
#include "scenario/scenario.h"

namespace lockstep {

/// A gait on the raw engine, as one would write it without Lockstep: sines on the bending joints, servos on
/// all, and the distance between the first and the last instant. The reference for the study of the chain.
class RawGait {
 public:
  explicit RawGait(const Model& model);

  /// Runs this many steps with this amplitude and frequency of all sines.
  double run(double amplitude, double frequency, std::int64_t steps);

 private:
  struct Joint {
    std::size_t position = 0;
    std::size_t velocity = 0;
    bool bends = false;
    double phase = 0.0;
    double reference = 0.0;
  };
  RawMujoco raw_;
  double step_;
  std::vector<Joint> joints_;
  std::vector<double> forces_;
  std::size_t base_ = 0;  // position of the root
};

}  // namespace lockstep
