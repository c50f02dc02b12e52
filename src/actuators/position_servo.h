#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct PositionServoConfig {
  std::string joint;
  std::string tendon;
  double stiffness = 10.0;
  double damping = 1.0;
  std::optional<double> max_effort;
  std::optional<double> max_speed;
  std::optional<double> gain;
  std::optional<double> lower;
  std::optional<double> upper;
  std::optional<double> initial;
  bool switchable = false;
};

template <class V>
void describe(V& v, PositionServoConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge or slide joint to drive."});
  v.text("tendon", c.tendon, {.doc = "Tendon to drive, instead of a joint."});
  v.number("stiffness", c.stiffness, {.unit = "N*m/rad or N/m", .min = 0.0, .doc = "k of the formula."});
  v.number("damping", c.damping, {.unit = "N*m*s/rad or N*s/m", .min = 0.0, .doc = "d of the formula."});
  v.number(
      "max_effort", c.max_effort,
      {.unit = "N*m or N", .min = 0.0, .doc = "Largest torque or force in either direction; none if omitted."});
  v.number("max_speed", c.max_speed,
           {.unit = "rad/s or m/s",
            .min = 0.0,
            .above_min = true,
            .doc = "Speed limit of the reference on its way to the target; none if omitted."});
  v.number("gain", c.gain,
           {.unit = "1/s",
            .min = 0.0,
            .above_min = true,
            .doc = "Rate at which the reference approaches the target; at once if omitted."});
  v.number("lower", c.lower,
           {.unit = "rad or m", .doc = "Smallest target; smaller ones are clamped. Default: none."});
  v.number("upper", c.upper, {.unit = "rad or m", .doc = "Largest target; default: none."});
  v.number("initial", c.initial,
           {.unit = "rad or m", .doc = "Target at the start; the position of the joint if omitted."});
  v.flag(
      "switchable", c.switchable,
      {.doc =
           "Whether the command 'enabled' switches it on (1, as at the start) and off (0). While it is off it "
           "exerts nothing; switched on, it starts from where the joint is."});
  v.check(!c.lower || !c.upper || *c.lower <= *c.upper, "lower", "lower is above upper");
}

/// Position servo: a spring and a damper about a reference that follows the commanded target.
///
///     effort = k (q_ref - q) - d q',         N m or N, clamped to ±max_effort
///     q_ref' = gain (target - q_ref),        rad/s or m/s, clamped to ±max_speed
///
/// The target is clamped to lower…upper. A servo that is switched off exerts nothing, and q_ref = q.
class PositionServo final : public Actuator {
 public:
  struct Settings {
    double stiffness = 10.0;
    double damping = 1.0;
    double max_effort = std::numeric_limits<double>::infinity();
    double max_step =
        std::numeric_limits<double>::infinity();  ///< of the reference in one physics step, rad or m
    double lower = -std::numeric_limits<double>::infinity();  ///< of the target, rad or m
    double upper = std::numeric_limits<double>::infinity();
    double share = 1.0;  ///< of target - q_ref covered in one physics step: gain times its length, at most 1
  };

  struct Slots {
    Slot target{};
    Slot effort{};
    std::optional<Slot> enabled{};  ///< of one that can be switched off
  };

  PositionServo(const Axis& axis, const Slots& slots, double start, const Settings& settings)
      : axis_(axis), slots_(slots), reference_(start), settings_(settings) {}

  void actuate(const Instant&, Row row, World& world) override;

  void save(StateWriter& writer) const override { writer.write(reference_); }
  void restore(StateReader& reader) override { reference_ = reader.read<double>(); }

 private:
  Axis axis_;
  Slots slots_;
  double reference_;  // q_ref, rad or m
  Settings settings_;
};

std::unique_ptr<Actuator> make_position_servo(const PositionServoConfig& config, BuildContext& context);

}  // namespace lockstep
