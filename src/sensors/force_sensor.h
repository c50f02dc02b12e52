#pragma once

#include <memory>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/reading.h"

namespace lockstep {

struct ForceSensorConfig {
  std::string joint;
  Axes axes = Axes::kOwn;
};

template <class V>
void describe(V& v, ForceSensorConfig& c) {
  v.text("joint", c.joint, {.doc = "Joint or lock of any type to measure.", .required = true});
  v.choice("axes", c.axes, kAxes, {.doc = "Axes of the readings: those of the world, or of the joint's link."});
}

/// Six-axis force/torque sensor in a joint: force (N) and torque (N m, about the anchor) that the parent exerts
/// on the link. A load that hangs at rest reads m g upwards. Force and axes are of one instant, the start of the
/// last step. Zero before the first step and while the joint is detached. In world axes or in those of the
/// joint's link.
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
