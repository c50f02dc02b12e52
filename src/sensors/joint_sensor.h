#pragma once

#include <memory>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct JointSensorConfig {
  std::string joint;
};

template <class V>
void describe(V& v, JointSensorConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge or slide joint to measure.", .required = true});
}

/// Joint encoder: position and speed of a hinge (rad, rad/s) or slide joint (m, m/s), and the effort (N m or N)
/// that actuators applied to it in the last physics step.
class JointSensor final : public Sensor {
 public:
  struct Slots {
    Slot position{};
    Slot speed{};
    Slot effort{};
  };

  JointSensor(JointId joint, const Slots& slots) : joint_(joint), slots_(slots) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  JointId joint_;
  Slots slots_;
};

std::unique_ptr<Sensor> make_joint_sensor(const JointSensorConfig& config, BuildContext& context);

}  // namespace lockstep
