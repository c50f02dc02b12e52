#include "sensors/force_sensor.h"

#include "device/context.h"

namespace lockstep {

void ForceSensor::sense(const World& world, const Instant&, Row row) {
  const JointReaction reaction = world.joint_reaction(joint_);
  write(row, force_, in_axes(axes_, reaction.orientation, reaction.force));
  write(row, torque_, in_axes(axes_, reaction.orientation, reaction.torque));
}

std::unique_ptr<Sensor> make_force_sensor(const ForceSensorConfig& config, BuildContext& context) {
  const auto joint = context.find_joint(config.joint);
  if (!joint) return nullptr;
  if (context.model.joint(*joint).type == JointType::kFree) {
    context.error_at("joint", "joint '{}' is free and transmits no force; expected a joint of another type",
                     context.model.joint(*joint).name);
    return nullptr;
  }
  const auto force = add_measurements(std::array{"force_x", "force_y", "force_z"}, "N", context);
  const auto torque = add_measurements(std::array{"torque_x", "torque_y", "torque_z"}, "N*m", context);
  if (!force || !torque) return nullptr;
  return std::make_unique<ForceSensor>(*joint, config.axes, *force, *torque);
}

}  // namespace lockstep
