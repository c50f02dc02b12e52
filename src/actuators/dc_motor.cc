#include "actuators/dc_motor.h"

#include <algorithm>

#include "actuators/command.h"
#include "device/context.h"

namespace lockstep {

void DcMotor::actuate(const Instant&, Row row, World& world) {
  double torque = 0.0;
  if (!is_on(row[slots_.coast])) {
    const double duty = std::clamp(row[slots_.duty], -1.0, 1.0);
    const double damping = stall_torque_ / no_load_speed_;
    torque = stall_torque_ * duty - damping * world.joint_velocity(joint_)[0];
    world.add_axis_force(joint_, {.force = torque, .damping = damping});
  }
  row[slots_.torque] = torque;
}

std::unique_ptr<Actuator> make_dc_motor(const DcMotorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  if (context.model.joint(*joint).type != JointType::kHinge) {
    context.error_at("joint", "joint '{}' is a slide; expected a hinge", config.joint);
    return nullptr;
  }
  const auto duty = context.add_signal("duty", "", SignalRole::kCommand);
  const auto coast = context.add_signal("coast", "", SignalRole::kCommand, 1.0);
  const auto torque = context.add_signal("torque", "N*m", SignalRole::kInternal);
  if (!duty || !coast || !torque) return nullptr;
  context.drives(*duty, *joint, 1.0);
  return std::make_unique<DcMotor>(*joint, DcMotor::Slots{*duty, *coast, *torque}, config.stall_torque,
                                   config.no_load_speed);
}

}  // namespace lockstep
