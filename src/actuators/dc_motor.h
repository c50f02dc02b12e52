#pragma once

#include <memory>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct DcMotorConfig {
  std::string joint;
  double stall_torque = 0.5;
  double no_load_speed = 7.0;
};

template <class V>
void describe(V& v, DcMotorConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge joint to drive: the output shaft of the gear.", .required = true});
  v.number("stall_torque", c.stall_torque,
           {.unit = "N*m", .min = 0.0, .above_min = true, .doc = "Torque at full duty and standstill."});
  v.number("no_load_speed", c.no_load_speed,
           {.unit = "rad/s", .min = 0.0, .above_min = true, .doc = "Speed at full duty without load."});
}

/// DC motor with gear on a bridge that is switched by pulse width modulation:
///
///     torque = stall_torque (duty - speed / no_load_speed),   N m
///
/// with the commanded duty, clamped to ±1. At duty 0 the terminals are shorted and the motor brakes. While the
/// command `coast` is 1, as at the start, the terminals are open and it exerts nothing.
class DcMotor final : public Actuator {
 public:
  struct Slots {
    Slot duty{};
    Slot coast{};
    Slot torque{};
  };

  DcMotor(JointId joint, const Slots& slots, double stall_torque, double no_load_speed)
      : joint_(joint), slots_(slots), stall_torque_(stall_torque), no_load_speed_(no_load_speed) {}

  void actuate(const Instant&, Row row, World& world) override;

 private:
  JointId joint_;
  Slots slots_;
  double stall_torque_;   // N m
  double no_load_speed_;  // rad/s
};

std::unique_ptr<Actuator> make_dc_motor(const DcMotorConfig& config, BuildContext& context);

}  // namespace lockstep
