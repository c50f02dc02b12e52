#include "actuators/position_servo.h"
#include "actuators/torque_actuator.h"
#include "assemble/builtin_internal.h"

namespace lockstep {
namespace {

std::unique_ptr<Actuator> make_torque_actuator(const TorqueActuatorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  bool fits = context.require_unit("limit", words.effort_unit);
  fits = context.require_unit("initial", words.effort_unit) && fits;
  const auto command =
      context.add_signal(words.effort, words.effort_unit, SignalRole::kCommand, config.initial);
  if (!fits || !command) return nullptr;
  return std::make_unique<TorqueActuator>(*joint, *command, config.limit.value_or(kNoLimit));
}

std::unique_ptr<Actuator> make_position_servo(const PositionServoConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  bool fits = true;
  for (const auto& [attribute, unit] :
       {std::pair("stiffness", words.stiffness_unit), std::pair("damping", words.damping_unit),
        std::pair("max_effort", words.effort_unit), std::pair("max_speed", words.speed_unit),
        std::pair("initial", words.position_unit)}) {
    fits = context.require_unit(attribute, unit) && fits;
  }
  const double start = context.model.joint(*joint).initial_position[0];
  const auto target =
      context.add_signal("target", words.position_unit, SignalRole::kCommand, config.initial.value_or(start));
  const auto effort = context.add_signal(words.effort, words.effort_unit, SignalRole::kInternal);
  if (!fits || !target || !effort) return nullptr;
  PositionServo::Settings settings;
  settings.stiffness = config.stiffness;
  settings.damping = config.damping;
  settings.max_effort = config.max_effort.value_or(kNoLimit);
  settings.max_step = config.max_speed ? *config.max_speed * to_seconds(context.model.step) : kNoLimit;
  return std::make_unique<PositionServo>(*joint, *target, *effort, start, settings);
}

}  // namespace

void add_builtin_actuators(Registry& registry) {
  registry.actuators.add<TorqueActuatorConfig>("torque", "Hands a commanded torque or force to a joint.",
                                               make_torque_actuator);
  registry.actuators.add<PositionServoConfig>(
      "servo", "Position servo: effort = k (reference - q) - d q', with largest effort and speed.",
      make_position_servo);
}

}  // namespace lockstep
