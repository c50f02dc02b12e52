#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "actuators/actuator.h"
#include "actuators/command.h"
#include "base/field.h"

namespace lockstep {

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
            .doc = "k of the formula: how hard the joint is held to the reference.",
            .required = true});
  v.number("damping", c.damping,
           {.unit = "N*m*s/rad or N*s/m", .min = 0.0, .doc = "d of the formula.", .required = true});
  v.number("reset_time", c.reset_time,
           {.unit = "s",
            .min = 0.0,
            .above_min = true,
            .doc = "T of the formula: takes away what a load leaves of the error. None if left out."});
  v.number("max_effort", c.max_effort,
           {.unit = "N*m or N",
            .min = 0.0,
            .doc = "Largest torque or force in either direction; none if left out."});
  v.number("velocity", c.velocity, {.unit = "rad/s or m/s", .doc = "Velocity at the start."});
  v.number("goal", c.goal,
           {.unit = "rad or m", .doc = "Goal at the start; without one it turns at its velocity."});
}

/// Motor that follows a trajectory of its own: a straight line r(t) of the commanded velocity, which ends
/// exactly at the goal if it has one.
///
///     effort = k (r - q) + d (r' - q') + k/T ∫ (r - q) dt,   cut off at the largest effort
///
/// With a goal only the size of the velocity counts. The goal stays reached until another command comes. While
/// the effort is cut off, the integral does not grow.
class TrajectoryMotor final : public Actuator {
 public:
  struct Slots {
    Slot velocity;  ///< command, rad/s or m/s
    Slot goal;      ///< command, rad or m
    Slot has_goal;  ///< command, 0 or 1
    Slot reference;
    Slot at_goal;
    Slot effort;
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

  void actuate(const Instant&, Row row, World& world) override {
    const bool has_goal = is_on(row[slots_.has_goal]);
    const double goal = row[slots_.goal];
    const double way = row[slots_.velocity] * settings_.step;
    const double next = has_goal ? approach(reference_, goal, std::abs(way)) : reference_ + way;

    const double error = reference_ - world.joint_position(joint_)[0];
    const double speed_error = (next - reference_) / settings_.step - world.joint_velocity(joint_)[0];
    const double wanted = settings_.stiffness * error + settings_.damping * speed_error + integral_;
    const double effort = std::clamp(wanted, -settings_.max_effort, settings_.max_effort);
    world.add_joint_force(joint_, {&effort, 1});
    if (effort == wanted) integral_ += settings_.integral * error * settings_.step;

    row[slots_.reference] = reference_;
    row[slots_.at_goal] = has_goal && reference_ == goal ? 1.0 : 0.0;
    row[slots_.effort] = effort;
    reference_ = next;
  }

  void save(StateWriter& writer) const override {
    writer.write(reference_);
    writer.write(integral_);
  }
  void restore(StateReader& reader) override {
    reference_ = reader.read<double>();
    integral_ = reader.read<double>();
  }

 private:
  JointId joint_;
  Slots slots_;
  double reference_;       // r of this instant, rad or m
  double integral_ = 0.0;  // its part of the effort, N m or N
  Settings settings_;
};

}  // namespace lockstep
