#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct SpeedServoConfig {
  std::string joint;
  std::string tendon;
  double gain = 0.0;
  std::optional<double> max_effort;
  std::optional<double> max_speed;
  double initial = 0.0;
};

template <class V>
void describe(V& v, SpeedServoConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge or slide joint to drive."});
  v.text("tendon", c.tendon, {.doc = "Tendon to drive, instead of a joint."});
  v.number(
      "gain", c.gain,
      {.unit = "N*m*s/rad or N*s/m",
       .min = 0.0,
       .above_min = true,
       .doc = "g of the formula; unstable above the inertia at the joint divided by the step, except with the "
              "implicit integrator.",
       .required = true});
  v.number(
      "max_effort", c.max_effort,
      {.unit = "N*m or N", .min = 0.0, .doc = "Largest torque or force in either direction; none if omitted."});
  v.number("max_speed", c.max_speed,
           {.unit = "rad/s or m/s", .min = 0.0, .doc = "Largest target in either direction; none if omitted."});
  v.number("initial", c.initial, {.unit = "rad/s or m/s", .doc = "Target at the start."});
}

/// Speed servo: proportional control of the joint speed.
///
///     effort = g (v - q'),   N m or N, clamped to ±max_effort
///
/// with the commanded speed v (rad/s or m/s, clamped to ±max_speed).
class SpeedServo final : public Actuator {
 public:
  struct Settings {
    double gain = 0.0;        ///< N m s/rad or N s/m
    double max_effort = 0.0;  ///< N m or N
    double max_speed = 0.0;   ///< rad/s or m/s
  };

  SpeedServo(const Axis& axis, Slot target, Slot effort, const Settings& settings)
      : axis_(axis), target_(target), effort_(effort), settings_(settings) {}

  void actuate(const Instant&, Row row, World& world) override;

 private:
  Axis axis_;
  Slot target_;
  Slot effort_;
  Settings settings_;
};

std::unique_ptr<Actuator> make_speed_servo(const SpeedServoConfig& config, BuildContext& context);

}  // namespace lockstep
