#pragma once

#include <string>

#include "base/field.h"
#include "sensors/sensor.h"

namespace lockstep {

struct JointSensorConfig {
  std::string joint;
};

template <class V>
void describe(V& v, JointSensorConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge or slide joint to measure.", .required = true});
}

/// Position and speed of a hinge (rad, rad/s) or slide joint (m, m/s), and the effort (N m or N) that actuators
/// handed to it in the step that led here.
class JointSensor final : public Sensor {
 public:
  struct Slots {
    Slot position{};
    Slot speed{};
    Slot effort{};
  };

  JointSensor(JointId joint, const Slots& slots) : joint_(joint), slots_(slots) {}

  void sense(const World& world, const Instant&, Row row) override {
    row[slots_.position] = world.joint_position(joint_)[0];
    row[slots_.speed] = world.joint_velocity(joint_)[0];
    row[slots_.effort] = world.joint_force(joint_)[0];
  }

 private:
  JointId joint_;
  Slots slots_;
};

}  // namespace lockstep
