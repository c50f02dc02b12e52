#include "sensors/joint_sensor.h"

#include "device/axis.h"
#include "device/context.h"

namespace lockstep {

void JointSensor::sense(const World& world, const Instant&, Row row) {
  row[slots_.position] = world.joint_position(joint_)[0];
  row[slots_.speed] = world.joint_velocity(joint_)[0];
  row[slots_.effort] = world.joint_force(joint_)[0];
}

std::unique_ptr<Sensor> make_joint_sensor(const JointSensorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const auto position = context.add_signal(words.position, words.position_unit, SignalRole::kMeasurement);
  const auto speed = context.add_signal("speed", words.speed_unit, SignalRole::kMeasurement);
  // Not 'torque': an actuator of the same name may have that.
  const auto effort = context.add_signal("effort", words.effort_unit, SignalRole::kMeasurement);
  if (!position || !speed || !effort) return nullptr;
  return std::make_unique<JointSensor>(*joint, JointSensor::Slots{*position, *speed, *effort});
}

}  // namespace lockstep
