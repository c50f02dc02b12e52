#include "actuators/speed_servo.h"

#include <algorithm>

#include "device/axis.h"
#include "device/context.h"

namespace lockstep {

void SpeedServo::actuate(const Instant&, Row row, World& world) {
  const double target = std::clamp(row[target_], -settings_.max_speed, settings_.max_speed);
  const double wanted = settings_.gain * (target - world.joint_velocity(joint_)[0]);
  const double effort = std::clamp(wanted, -settings_.max_effort, settings_.max_effort);
  row[effort_] = effort;
  world.add_joint_force(joint_, {&effort, 1});
}

std::unique_ptr<Actuator> make_speed_servo(const SpeedServoConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const bool fits = context.require_units({{"gain", words.damping_unit},
                                           {"max_effort", words.effort_unit},
                                           {"max_speed", words.speed_unit},
                                           {"initial", words.speed_unit}});
  const auto target = context.add_signal("target", words.speed_unit, SignalRole::kCommand, config.initial);
  const auto effort = context.add_signal(words.effort, words.effort_unit, SignalRole::kInternal);
  if (!fits || !target || !effort) return nullptr;
  context.drives(*target, *joint, config.max_speed.value_or(kNoLimit));
  return std::make_unique<SpeedServo>(*joint, *target, *effort,
                                      SpeedServo::Settings{.gain = config.gain,
                                                           .max_effort = config.max_effort.value_or(kNoLimit),
                                                           .max_speed = config.max_speed.value_or(kNoLimit)});
}

}  // namespace lockstep
