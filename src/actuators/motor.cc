#include "actuators/motor.h"

#include <algorithm>

#include "device/axis.h"
#include "device/context.h"

namespace lockstep {
namespace {

std::optional<Characteristic> make_characteristic(const MotorConfig& config, BuildContext& context) {
  if (config.src.empty() == config.points.empty()) {
    context.error_at("src", "{}",
                     config.src.empty()
                         ? "has no characteristic; expected <point> elements or the 'src' of a CSV file"
                         : "has both <point> elements and a 'src'; expected one of them");
    return std::nullopt;
  }
  if (config.src.empty()) {
    return Characteristic::make(config.points, context.place_of(""), context.subject(), context.diagnostics);
  }
  try {
    const auto bytes = context.load_file(config.src);
    return Characteristic::make(read_characteristic(bytes, config.src), context.place_of("src"),
                                context.subject(), context.diagnostics);
  } catch (const UserError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics().list()) context.diagnostics.add(diagnostic);
    return std::nullopt;
  }
}

}  // namespace

void Motor::actuate(const Instant&, Row row, World& world) {
  const double current = std::clamp(row[current_], -settings_.max_current, settings_.max_current);
  const double speed = settings_.gear * world.joint_velocity(joint_)[0];
  const double effort = settings_.gear * settings_.efficiency * characteristic_.torque(current, speed);
  row[effort_] = effort;
  world.add_joint_force(joint_, {&effort, 1});
}

std::unique_ptr<Actuator> make_motor(const MotorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const bool slides = context.model.joint(*joint).type == JointType::kSlide;
  bool fits = context.require_unit("gear", slides ? "rad/m" : "");
  if (slides && !config.gear) {
    context.error_at("joint", "joint '{}' is a slide; expected a 'gear' in rad/m for it", config.joint);
    fits = false;
  }
  auto characteristic = make_characteristic(config, context);
  const auto current = context.add_signal("current", "A", SignalRole::kCommand, config.initial);
  const auto effort = context.add_signal(words.effort, words.effort_unit, SignalRole::kInternal);
  if (!fits || !characteristic || !current || !effort) return nullptr;
  context.drives(*current, *joint, config.max_current.value_or(kNoLimit));
  return std::make_unique<Motor>(*joint, *current, *effort, std::move(*characteristic),
                                 Motor::Settings{.gear = config.gear.value_or(1.0),
                                                 .efficiency = config.efficiency,
                                                 .max_current = config.max_current.value_or(kNoLimit)});
}

}  // namespace lockstep
