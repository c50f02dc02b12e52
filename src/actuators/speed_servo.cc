#include "actuators/speed_servo.h"

#include <algorithm>

#include "device/axis.h"
#include "device/context.h"

namespace lockstep {

void SpeedServo::actuate(const Instant&, Row row, World& world) {
  const double target = std::clamp(row[target_], -settings_.max_speed, settings_.max_speed);
  const double wanted = settings_.gain * (target - axis_speed(world, axis_));
  const double effort = std::clamp(wanted, -settings_.max_effort, settings_.max_effort);
  row[effort_] = effort;
  world.add_axis_force(axis_, {.force = effort, .damping = settings_.gain, .is_limited = effort != wanted});
}

std::unique_ptr<Actuator> make_speed_servo(const SpeedServoConfig& config, BuildContext& context) {
  const auto axis = context.find_axis(config.joint, config.tendon);
  if (!axis) return nullptr;
  const AxisWords& words = words_for(context.model, *axis);
  const bool fits = context.require_units({{"gain", words.damping_unit},
                                           {"max_effort", words.effort_unit},
                                           {"max_speed", words.speed_unit},
                                           {"initial", words.speed_unit}});
  const auto target = context.add_signal("target", words.speed_unit, SignalRole::kCommand, config.initial);
  const auto effort = context.add_signal(words.effort, words.effort_unit, SignalRole::kInternal);
  if (!fits || !target || !effort) return nullptr;
  context.drives(*target, *axis, config.max_speed.value_or(kNoLimit));
  return std::make_unique<SpeedServo>(*axis, *target, *effort,
                                      SpeedServo::Settings{.gain = config.gain,
                                                           .max_effort = config.max_effort.value_or(kNoLimit),
                                                           .max_speed = config.max_speed.value_or(kNoLimit)});
}

}  // namespace lockstep
