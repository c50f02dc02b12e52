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

/// Ideal encoder: position and speed of a hinge (rad, rad/s) or slide joint (m, m/s).
class JointSensor final : public Sensor {
 public:
  JointSensor(JointId joint, Slot position, Slot speed) : joint_(joint), position_(position), speed_(speed) {}

  void sense(const World& world, const Instant&, Row row) override {
    row[position_] = world.joint_position(joint_)[0];
    row[speed_] = world.joint_velocity(joint_)[0];
  }

 private:
  JointId joint_;
  Slot position_;
  Slot speed_;
};

}  // namespace lockstep
