#include "actuators/trajectory_motor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "actuators/command.h"
#include "device/axis.h"
#include "device/context.h"

namespace lockstep {

void TrajectoryMotor::actuate(const Instant&, Row row, World& world) {
  const bool has_goal = is_on(row[slots_.has_goal]);
  const double goal = row[slots_.goal];
  const double way = row[slots_.velocity] * settings_.step;
  constexpr double kMax = std::numeric_limits<double>::max();
  const double next = has_goal ? approach(reference_, goal, std::abs(way))
                               : std::clamp(reference_ + way, -kMax, kMax);  // stays finite

  const double error = reference_ - world.joint_position(joint_)[0];
  const double speed_error = (next - reference_) / settings_.step - world.joint_velocity(joint_)[0];
  const double wanted = settings_.stiffness * error + settings_.damping * speed_error + integral_;
  const double effort = std::clamp(wanted, -settings_.max_effort, settings_.max_effort);
  world.add_joint_force(joint_, {&effort, 1});
  if (effort == wanted) integral_ += settings_.integral * error * settings_.step;

  row[slots_.reference] = reference_;
  row[slots_.at_goal] = has_goal && reference_ == goal ? 1.0 : 0.0;
  row[slots_.effort] = effort;
  reference_ = next;
}

void TrajectoryMotor::save(StateWriter& writer) const {
  writer.write(reference_);
  writer.write(integral_);
}

void TrajectoryMotor::restore(StateReader& reader) {
  reference_ = reader.read<double>();
  integral_ = reader.read<double>();
}

std::unique_ptr<Actuator> make_trajectory_motor(const TrajectoryMotorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const bool fits = context.require_units({{"stiffness", words.stiffness_unit},
                                           {"damping", words.damping_unit},
                                           {"max_effort", words.effort_unit},
                                           {"velocity", words.speed_unit},
                                           {"goal", words.position_unit}});
  const double start = context.model.joint(*joint).initial_position[0];
  const auto command = [&](const char* quantity, const char* unit, double initial) {
    return context.add_signal(quantity, unit, SignalRole::kCommand, initial);
  };
  const auto velocity = command("velocity", words.speed_unit, config.velocity);
  const auto goal = command("goal", words.position_unit, config.goal.value_or(start));
  const auto has_goal = command("has_goal", "", config.goal ? 1.0 : 0.0);
  const auto reference = context.add_signal("reference", words.position_unit, SignalRole::kInternal, start);
  const auto at_goal = context.add_signal("at_goal", "", SignalRole::kInternal);
  const auto effort = context.add_signal(words.effort, words.effort_unit, SignalRole::kInternal);
  if (!fits || !velocity || !goal || !has_goal || !reference || !at_goal || !effort) return nullptr;
  context.drives_position(*goal, *joint, kNoLimit);
  const TrajectoryMotor::Slots slots{*velocity, *goal, *has_goal, *reference, *at_goal, *effort};
  return std::make_unique<TrajectoryMotor>(
      *joint, slots, start,
      TrajectoryMotor::Settings{.stiffness = config.stiffness,
                                .damping = config.damping,
                                .integral = config.reset_time ? config.stiffness / *config.reset_time : 0.0,
                                .max_effort = config.max_effort.value_or(kNoLimit),
                                .step = to_seconds(context.model.step)});
}

}  // namespace lockstep
