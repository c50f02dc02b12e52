#include "actuators/torque_actuator.h"

#include <algorithm>

#include "device/axis.h"
#include "device/context.h"

namespace lockstep {

void TorqueActuator::actuate(const Instant&, Row row, World& world) {
  // NaN passes the clamp, so that the world sees and reports it.
  const double effort = std::clamp(row[command_], -limit_, limit_);
  world.add_axis_force(axis_, {.force = effort});
}

std::unique_ptr<Actuator> make_torque_actuator(const TorqueActuatorConfig& config, BuildContext& context) {
  const auto axis = context.find_axis(config.joint, config.tendon);
  if (!axis) return nullptr;
  const AxisWords& words = words_for(context.model, *axis);
  const bool fits = context.require_units({{"limit", words.effort_unit}, {"initial", words.effort_unit}});
  const auto command =
      context.add_signal(words.effort, words.effort_unit, SignalRole::kCommand, config.initial);
  if (!fits || !command) return nullptr;
  context.drives(*command, *axis, config.limit.value_or(kNoLimit));
  return std::make_unique<TorqueActuator>(*axis, *command, config.limit.value_or(kNoLimit));
}

}  // namespace lockstep
