#include "bench/raw_gait.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "actuators/command.h"

namespace lockstep {
namespace {

// As in make_chain_scenario().
constexpr double kStiffness = 20.0, kDamping = 0.2, kPhase = -0.6;
constexpr std::int64_t kControlEvery = 5;  // steps

double length(double x, double y) {
  return std::sqrt(x * x + y * y);
}

}  // namespace

RawGait::RawGait(const Model& model)
    : raw_(model), step_(to_seconds(model.step)), forces_(raw_.qvel().size(), 0.0) {
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointId id{static_cast<int>(i)};
    if (model.joints[i].type == JointType::kFree) {
      base_ = raw_.position_offset(id);
      continue;
    }
    const std::size_t number = joints_.size() + 1;
    joints_.push_back({.position = raw_.position_offset(id),
                       .velocity = raw_.velocity_offset(id),
                       .bends = number % 2 == 1,
                       .phase = kPhase * static_cast<double>(number)});
  }
}

double RawGait::run(double amplitude, double frequency, std::int64_t steps) {
  raw_.reset();
  // Read in place: calling mj_kinematics() again would normalise the quaternions once more.
  const std::span<const double> positions = raw_.qpos();
  const std::span<const double> velocities = raw_.qvel();
  for (Joint& joint : joints_) joint.reference = 0.0;
  std::vector<double> targets(joints_.size(), 0.0);
  const double x = positions[base_], y = positions[base_ + 1];
  double distance = 0.0;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (step % kControlEvery == 0) {
      const double time = to_seconds(Duration(std::llround(1e9 * step_)) * step);
      for (std::size_t i = 0; i < joints_.size(); ++i) {
        if (!joints_[i].bends) continue;
        const double angle = 2.0 * std::numbers::pi * frequency * time + joints_[i].phase;
        targets[i] = amplitude * std::sin(angle) + 0.0;
      }
    }
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      Joint& joint = joints_[i];
      joint.reference = approach(joint.reference, targets[i], std::numeric_limits<double>::infinity());
      forces_[joint.velocity] =
          kStiffness * (joint.reference - positions[joint.position]) - kDamping * velocities[joint.velocity];
    }
    // The last row is from the start of the last step.
    if (step + 1 == steps) distance = length(positions[base_] - x, positions[base_ + 1] - y);
    raw_.step(forces_);
  }
  return distance;
}

}  // namespace lockstep
