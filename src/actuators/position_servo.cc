#include "actuators/position_servo.h"

#include <algorithm>
#include <cmath>

#include "actuators/command.h"
#include "device/axis.h"
#include "device/context.h"

namespace lockstep {

void PositionServo::actuate(const Instant&, Row row, World& world) {
  if (slots_.enabled && !is_on(row[*slots_.enabled])) {
    reference_ = axis_position(world, axis_);
    row[slots_.effort] = 0.0;
    return;
  }
  const double target = std::clamp(row[slots_.target], settings_.lower, settings_.upper);
  const double way = target - reference_;
  // The difference of two finite numbers may be infinite; then the share is taken of each.
  const double goal = settings_.share >= 1.0 ? target
                      : std::isfinite(way)   ? reference_ + settings_.share * way
                                             : (1.0 - settings_.share) * reference_ + settings_.share * target;
  reference_ = approach(reference_, goal, settings_.max_step);
  const double position = axis_position(world, axis_);
  const double speed = axis_speed(world, axis_);
  const double wanted = settings_.stiffness * (reference_ - position) - settings_.damping * speed;
  const double effort = std::clamp(wanted, -settings_.max_effort, settings_.max_effort);
  row[slots_.effort] = effort;
  world.add_axis_force(axis_, {.force = effort, .damping = settings_.damping, .is_limited = effort != wanted});
}

std::unique_ptr<Actuator> make_position_servo(const PositionServoConfig& config, BuildContext& context) {
  const auto axis = context.find_axis(config.joint, config.tendon);
  if (!axis) return nullptr;
  const AxisWords& words = words_for(context.model, *axis);
  const bool fits = context.require_units({{"stiffness", words.stiffness_unit},
                                           {"damping", words.damping_unit},
                                           {"max_effort", words.effort_unit},
                                           {"max_speed", words.speed_unit},
                                           {"lower", words.position_unit},
                                           {"upper", words.position_unit},
                                           {"initial", words.position_unit}});
  const double start = calc_initial_position(context.model, *axis);
  const auto target =
      context.add_signal("target", words.position_unit, SignalRole::kCommand, config.initial.value_or(start));
  const auto effort = context.add_signal(words.effort, words.effort_unit, SignalRole::kInternal);
  std::optional<Slot> enabled;
  if (config.switchable) {
    enabled = context.add_signal("enabled", "", SignalRole::kCommand, 1.0);
    if (!enabled) return nullptr;
  }
  if (!fits || !target || !effort) return nullptr;
  context.drives_position(*target, *axis, config.max_speed.value_or(kNoLimit));
  PositionServo::Settings settings;
  settings.stiffness = config.stiffness;
  settings.damping = config.damping;
  settings.lower = config.lower.value_or(-kNoLimit);
  settings.upper = config.upper.value_or(kNoLimit);
  settings.max_effort = config.max_effort.value_or(kNoLimit);
  settings.max_step = config.max_speed ? *config.max_speed * to_seconds(context.model.step) : kNoLimit;
  if (config.gain) settings.share = std::min(1.0, *config.gain * to_seconds(context.model.step));
  return std::make_unique<PositionServo>(*axis, PositionServo::Slots{*target, *effort, enabled}, start,
                                         settings);
}

}  // namespace lockstep
