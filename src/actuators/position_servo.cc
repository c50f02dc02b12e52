#include "actuators/position_servo.h"

#include <algorithm>

#include "actuators/command.h"
#include "device/axis.h"
#include "device/context.h"

namespace lockstep {

void PositionServo::actuate(const Instant&, Row row, World& world) {
  const double target = row[target_];
  const double goal = settings_.share < 1.0 ? reference_ + settings_.share * (target - reference_) : target;
  reference_ = approach(reference_, goal, settings_.max_step);
  const double position = world.joint_position(joint_)[0];
  const double speed = world.joint_velocity(joint_)[0];
  const double wanted = settings_.stiffness * (reference_ - position) - settings_.damping * speed;
  const double effort = std::clamp(wanted, -settings_.max_effort, settings_.max_effort);
  row[effort_] = effort;
  world.add_joint_force(joint_, {&effort, 1});
}

std::unique_ptr<Actuator> make_position_servo(const PositionServoConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const bool fits = context.require_units({{"stiffness", words.stiffness_unit},
                                           {"damping", words.damping_unit},
                                           {"max_effort", words.effort_unit},
                                           {"max_speed", words.speed_unit},
                                           {"initial", words.position_unit}});
  const double start = context.model.joint(*joint).initial_position[0];
  const auto target =
      context.add_signal("target", words.position_unit, SignalRole::kCommand, config.initial.value_or(start));
  const auto effort = context.add_signal(words.effort, words.effort_unit, SignalRole::kInternal);
  if (!fits || !target || !effort) return nullptr;
  context.drives_position(*target, *joint, config.max_speed.value_or(kNoLimit));
  PositionServo::Settings settings;
  settings.stiffness = config.stiffness;
  settings.damping = config.damping;
  settings.max_effort = config.max_effort.value_or(kNoLimit);
  settings.max_step = config.max_speed ? *config.max_speed * to_seconds(context.model.step) : kNoLimit;
  if (config.gain) settings.share = std::min(1.0, *config.gain * to_seconds(context.model.step));
  return std::make_unique<PositionServo>(*joint, *target, *effort, start, settings);
}

}  // namespace lockstep
