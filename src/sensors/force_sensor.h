#pragma once

#include <memory>
#include <string>

#include "base/field.h"
#include "sensors/reading.h"
#include "sensors/sensor.h"

namespace lockstep {

struct ForceSensorConfig {
  std::string joint;
  Axes axes = Axes::kOwn;
};

template <class V>
void describe(V& v, ForceSensorConfig& c) {
  v.text("joint", c.joint, {.doc = "Joint or lock of any type to measure in.", .required = true});
  v.choice("axes", c.axes, kAxes, {.doc = "Axes of the readings: those of the world, or of the joint's link."});
}

/// Force (N) and torque (N m, about the anchor) that the parent hands to the link through its joint. What hangs
/// at rest on a joint is pulled up with m g. Force and axes are of one instant, that at which the last step
/// began. Zero before the first step and while a lock is let go.
class ForceSensor final : public Sensor {
 public:
  ForceSensor(JointId joint, Axes axes, const Slots3& force, const Slots3& torque)
      : joint_(joint), axes_(axes), force_(force), torque_(torque) {}

  void sense(const World& world, const Instant&, Row row) override;
  Tracking needs() const override { return {.joint_reactions = true}; }

 private:
  JointId joint_;
  Axes axes_;
  Slots3 force_;
  Slots3 torque_;
};

std::unique_ptr<Sensor> make_force_sensor(const ForceSensorConfig& config, BuildContext& context);

}  // namespace lockstep
