#include "actuators/drive.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "actuators/command.h"
#include "device/axis.h"
#include "device/context.h"

namespace lockstep {
namespace {

/// Moves the joint, within its limits.
void drive_within_limits(World& world, JointId id, JointMotion end) {
  const JointModel& joint = world.model().joint(id);
  const double lower = joint.lower.value_or(-kNoLimit), upper = joint.upper.value_or(kNoLimit);
  if (end.position < lower || end.position > upper) end = {.position = std::clamp(end.position, lower, upper)};
  world.drive_joint(id, end);
}

/// Whether the attributes are those of one of the three forms of a drive.
bool has_one_form(const DriveConfig& config, BuildContext& context) {
  bool good = true;
  const auto reject = [&](bool is_given, const char* attribute, const char* other) {
    if (!is_given) return;
    context.error_at(attribute, "'{}' applies only with '{}'", attribute, other);
    good = false;
  };
  if (config.frequency && config.velocity) {
    context.error_at("velocity", "has both 'frequency' and 'velocity'; expected one of them");
    return false;
  }
  if (config.frequency && !config.amplitude) {
    context.error_at("frequency", "has 'frequency' but no 'amplitude'");
    return false;
  }
  if (!config.frequency) {
    reject(config.amplitude.has_value(), "amplitude", "frequency");
    reject(config.phase != 0.0, "phase", "frequency");
    reject(config.rise_time.has_value(), "rise_time", "frequency");
  }
  if (!config.velocity) reject(config.max_acceleration.has_value(), "max_acceleration", "velocity");
  return good;
}

/// Steps in a period of a sine: with fewer it would be another motion.
constexpr double kMinSteps = 10.0;

/// The sine about the initial position; nothing, with the error reported, if the joint cannot follow it.
std::optional<SineMotion> make_sine_motion(const DriveConfig& config, const JointModel& joint,
                                           const AxisWords& words, BuildContext& context) {
  const double step = to_seconds(context.model.step);
  if (*config.frequency * step * kMinSteps > 1.0) {
    context.error_at("frequency",
                     "frequency {:.6g} Hz is too high for the physics step ({} s); expected at most {:.6g} Hz",
                     *config.frequency, step, 1.0 / (kMinSteps * step));
    return std::nullopt;
  }
  SineMotion motion{.amplitude = *config.amplitude,
                    .frequency = *config.frequency,
                    .phase = config.phase,
                    .rise_time = config.rise_time.value_or(1.0 / *config.frequency)};
  motion.center = joint.initial_position[0] - motion.at(0.0).position;
  const double lowest = motion.center - motion.amplitude, highest = motion.center + motion.amplitude;
  if (lowest < joint.lower.value_or(-kNoLimit) || highest > joint.upper.value_or(kNoLimit)) {
    context.error_at("amplitude", "moves from {:.6g} to {:.6g} {}, beyond the limits of joint '{}'", lowest,
                     highest, words.position_unit, joint.name);
    return std::nullopt;
  }
  const double start = motion.at(0.0).velocity;
  constexpr double kRounding = 1e-9;  // of the speed
  if (std::abs(start - joint.initial_velocity[0]) > kRounding * std::abs(start)) {
    context.error_at(motion.rise_time == 0.0 ? "rise_time" : "joint",
                     "starts at {:.6g} {}, but joint '{}' at {:.6g} {}; change its initial_velocity{}", start,
                     words.speed_unit, joint.name, joint.initial_velocity[0], words.speed_unit,
                     motion.rise_time == 0.0 ? ", or give a rise_time" : "");
    return std::nullopt;
  }
  return motion;
}

}  // namespace

JointMotion SineMotion::at(double t) const {
  const double w = 2.0 * std::numbers::pi * frequency, angle = w * t + phase;
  const double x = rise_time > 0.0 ? std::clamp(t / rise_time, 0.0, 1.0) : 1.0;
  const double scale = x * x * x * (10.0 + x * (6.0 * x - 15.0));
  const double rate = rise_time > 0.0 ? 30.0 * x * x * (1.0 - x) * (1.0 - x) / rise_time : 0.0;
  return {center + amplitude * scale * std::sin(angle),
          amplitude * (scale * w * std::cos(angle) + rate * std::sin(angle))};
}

void SineDrive::actuate(const Instant& now, Row row, World& world) {
  row[effort_] = world.joint_force(joint_)[0];
  drive_within_limits(world, joint_, motion_.at(to_seconds(now.time + step_)));
}

void VelocityDrive::actuate(const Instant&, Row row, World& world) {
  row[effort_] = world.joint_force(joint_)[0];
  const double before = world.joint_velocity(joint_)[0];
  const double after = approach(before, row[velocity_], max_acceleration_ * step_);
  const double position = world.joint_position(joint_)[0] + 0.5 * step_ * (before + after);
  drive_within_limits(world, joint_, {position, after});
}

void TargetDrive::actuate(const Instant&, Row row, World& world) {
  row[effort_] = world.joint_force(joint_)[0];
  const double way = row[target_] - world.joint_position(joint_)[0];
  drive_within_limits(world, joint_, {row[target_], way / step_});
}

std::unique_ptr<Actuator> make_drive(const DriveConfig& config, BuildContext& context) {
  const auto id = context.find_axis_joint(config.joint);
  if (!id || !context.claim_joint(*id)) return nullptr;
  const JointModel& joint = context.model.joint(*id);
  const AxisWords& words = words_for(context.model, *id);
  const std::string acceleration_unit = std::string(words.position_unit) + "/s^2";
  const bool fits = context.require_units({{"amplitude", words.position_unit},
                                           {"velocity", words.speed_unit},
                                           {"max_acceleration", acceleration_unit.c_str()}});
  const auto effort = context.add_signal(words.effort, words.effort_unit, SignalRole::kInternal);
  if (!has_one_form(config, context) || !fits || !effort) return nullptr;
  const double step = to_seconds(context.model.step);
  if (config.frequency) {
    const auto motion = make_sine_motion(config, joint, words, context);
    return motion ? std::make_unique<SineDrive>(*id, *effort, *motion, context.model.step) : nullptr;
  }
  if (config.velocity) {
    const auto velocity =
        context.add_signal("velocity", words.speed_unit, SignalRole::kCommand, *config.velocity);
    if (!velocity) return nullptr;
    context.drives(*velocity, *id, kNoLimit);
    return std::make_unique<VelocityDrive>(*id, *effort, *velocity, config.max_acceleration.value_or(kNoLimit),
                                           step);
  }
  const auto target =
      context.add_signal("target", words.position_unit, SignalRole::kCommand, joint.initial_position[0]);
  if (!target) return nullptr;
  context.drives_position(*target, *id, kNoLimit);
  return std::make_unique<TargetDrive>(*id, *effort, *target, step);
}

}  // namespace lockstep
