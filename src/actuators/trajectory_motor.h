#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct TrajectoryMotorConfig {
  std::string joint;
  double stiffness = 0.0;
  double damping = 0.0;
  std::optional<double> reset_time;
  std::optional<double> max_effort;
  double velocity = 0.0;
  std::optional<double> goal;
};

template <class V>
void describe(V& v, TrajectoryMotorConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge or slide joint to drive.", .required = true});
  v.number("stiffness", c.stiffness,
           {.unit = "N*m/rad or N/m",
            .min = 0.0,
            .above_min = true,
            .doc = "k of the formula: gain of the position error.",
            .required = true});
  v.number("damping", c.damping,
           {.unit = "N*m*s/rad or N*s/m", .min = 0.0, .doc = "d of the formula.", .required = true});
  v.number("reset_time", c.reset_time,
           {.unit = "s",
            .min = 0.0,
            .above_min = true,
            .doc = "T of the formula: integral time, which removes the error under load. None if omitted."});
  v.number(
      "max_effort", c.max_effort,
      {.unit = "N*m or N", .min = 0.0, .doc = "Largest torque or force in either direction; none if omitted."});
  v.number("velocity", c.velocity, {.unit = "rad/s or m/s", .doc = "Velocity at the start."});
  v.number("goal", c.goal,
           {.unit = "rad or m", .doc = "Goal at the start; without one it moves at its velocity."});
}

/// Motor with PID control that follows an internal reference r(t): a ramp at the commanded velocity, which ends
/// exactly at the goal if there is one.
///
///     effort = k (r - q) + d (r' - q') + k/T ∫ (r - q) dt,   N m or N, clamped to ±max_effort
///
/// With a goal the sign of the velocity is ignored. A goal stays reached until the next command. While the
/// effort is clamped, the integral does not grow (anti-windup).
class TrajectoryMotor final : public Actuator {
 public:
  struct Slots {
    Slot velocity;   ///< command, rad/s or m/s
    Slot goal;       ///< command, rad or m
    Slot has_goal;   ///< command, 0 or 1
    Slot reference;  ///< r, rad or m
    Slot at_goal;    ///< 0 or 1
    Slot effort;     ///< N m or N
  };
  struct Settings {
    double stiffness = 0.0;
    double damping = 0.0;
    double integral = 0.0;    ///< k/T; 0 for none
    double max_effort = 0.0;  ///< N m or N
    double step = 0.0;        ///< s
  };

  TrajectoryMotor(JointId joint, const Slots& slots, double start, const Settings& settings)
      : joint_(joint), slots_(slots), reference_(start), settings_(settings) {}

  void actuate(const Instant&, Row row, World& world) override;

  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  JointId joint_;
  Slots slots_;
  double reference_;       // r now, rad or m
  double integral_ = 0.0;  // integral term of the effort, N m or N
  Settings settings_;
};

std::unique_ptr<Actuator> make_trajectory_motor(const TrajectoryMotorConfig& config, BuildContext& context);

}  // namespace lockstep
