#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actuators/characteristic.h"
#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct MotorConfig {
  std::string joint;
  std::string src;
  std::vector<CharacteristicPoint> points;
  std::optional<double> gear;
  double efficiency = 1.0;
  std::optional<double> max_current;
  double initial = 0.0;
};

template <class V>
void describe(V& v, MotorConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge or slide joint to drive.", .required = true});
  v.text("src", c.src,
         {.doc = "CSV file with the characteristic, relative to the file this is in: a line "
                 "'current,torque' or 'current,speed,torque', then one line per point."});
  v.children("point", c.points, {.doc = "A point of the characteristic, instead of a file."});
  v.number("gear", c.gear,
           {.unit = "1 or rad/m",
            .doc = "Gear ratio: turns of the rotor per turn of a hinge (1 if omitted), or rotor angle per "
                   "distance of a slide. Negative if they turn in opposite directions."});
  v.number("efficiency", c.efficiency,
           {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Fraction of the torque the gear transmits."});
  v.number("max_current", c.max_current,
           {.unit = "A", .min = 0.0, .doc = "Largest current in either direction; none if omitted."});
  v.number("initial", c.initial, {.unit = "A", .doc = "Command at the start."});
  v.check(!c.gear || *c.gear != 0.0, "gear", "gear is zero; expected a ratio other than 0");
}

/// Motor with a measured characteristic T(current, speed) behind a gear:
///
///     effort = n e T(i, n q'),   N m or N
///
/// with the commanded current i (A, clamped to ±max_current), the gear ratio n and its efficiency e.
class Motor final : public Actuator {
 public:
  struct Settings {
    double gear = 1.0;  ///< rad of the rotor per rad or m of the joint
    double efficiency = 1.0;
    double max_current = 0.0;  ///< A
  };

  Motor(JointId joint, Slot current, Slot effort, Characteristic characteristic, const Settings& settings)
      : joint_(joint),
        current_(current),
        effort_(effort),
        characteristic_(std::move(characteristic)),
        settings_(settings) {}

  void actuate(const Instant&, Row row, World& world) override;

 private:
  JointId joint_;
  Slot current_;
  Slot effort_;
  Characteristic characteristic_;
  Settings settings_;
};

std::unique_ptr<Actuator> make_motor(const MotorConfig& config, BuildContext& context);

}  // namespace lockstep
