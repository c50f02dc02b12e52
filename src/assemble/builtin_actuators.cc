#include <initializer_list>
#include <utility>

#include "actuators/lock.h"
#include "actuators/magnet.h"
#include "actuators/motor.h"
#include "actuators/position_servo.h"
#include "actuators/speed_servo.h"
#include "actuators/thruster.h"
#include "actuators/torque_actuator.h"
#include "actuators/trajectory_motor.h"
#include "assemble/builtin_internal.h"

namespace lockstep {
namespace {

/// Checks attributes whose unit depends on the joint.
bool require_units(BuildContext& context, std::initializer_list<std::pair<const char*, const char*>> wanted) {
  bool fits = true;
  for (const auto& [attribute, unit] : wanted) fits = context.require_unit(attribute, unit) && fits;
  return fits;
}

double start_of(const BuildContext& context, JointId joint) {
  return context.model.joint(joint).initial_position[0];
}

std::unique_ptr<Actuator> make_torque_actuator(const TorqueActuatorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const bool fits = require_units(context, {{"limit", words.effort_unit}, {"initial", words.effort_unit}});
  const auto command =
      context.add_signal(words.effort, words.effort_unit, SignalRole::kCommand, config.initial);
  if (!fits || !command) return nullptr;
  context.drives(*command, *joint, config.limit.value_or(kNoLimit));
  return std::make_unique<TorqueActuator>(*joint, *command, config.limit.value_or(kNoLimit));
}

std::unique_ptr<Actuator> make_position_servo(const PositionServoConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const bool fits = require_units(context, {{"stiffness", words.stiffness_unit},
                                            {"damping", words.damping_unit},
                                            {"max_effort", words.effort_unit},
                                            {"max_speed", words.speed_unit},
                                            {"initial", words.position_unit}});
  const double start = start_of(context, *joint);
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

std::unique_ptr<Actuator> make_speed_servo(const SpeedServoConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const bool fits = require_units(context, {{"gain", words.damping_unit},
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

std::unique_ptr<Actuator> make_trajectory_motor(const TrajectoryMotorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const bool fits = require_units(context, {{"stiffness", words.stiffness_unit},
                                            {"damping", words.damping_unit},
                                            {"max_effort", words.effort_unit},
                                            {"velocity", words.speed_unit},
                                            {"goal", words.position_unit}});
  const double start = start_of(context, *joint);
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
    const auto bytes = context.assets.load(config.src, context.place_of("src"), context.subject());
    return Characteristic::make(read_characteristic(bytes, config.src), context.place_of("src"),
                                context.subject(), context.diagnostics);
  } catch (const UserError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics().list()) context.diagnostics.add(diagnostic);
    return std::nullopt;
  }
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

std::unique_ptr<Actuator> make_thruster(const ThrusterConfig& config, BuildContext& context) {
  if (config.site.empty() && config.body.empty()) {
    context.error_at("", "needs a 'body' or a 'site'");
    return nullptr;
  }
  Thruster::Settings settings{.axis = config.axis.stableNormalized(),
                              .frame = config.frame,
                              .max_force = config.max_force.value_or(kNoLimit),
                              .max_torque = config.max_torque.value_or(kNoLimit)};
  if (!config.site.empty()) {
    const auto site = context.find_site(config.site);
    if (!site) return nullptr;
    const SiteModel& found = context.model.site(*site);
    settings.body = found.body;
    settings.point_B = found.X_BS.p;
    if (config.frame == ThrusterFrame::kOwn) settings.axis = found.X_BS.q * settings.axis;
  } else {
    const auto body = context.find_body(config.body);
    if (!body) return nullptr;
    settings.body = *body;
    settings.point_B = context.model.body(*body).mass.center;
  }
  if (!context.model.can_move(settings.body)) {
    context.error_at(config.site.empty() ? "body" : "site",
                     "body '{}' never moves; expected one that can be pushed",
                     context.model.body(settings.body).name);
    return nullptr;
  }
  const auto force = context.add_signal("force", "N", SignalRole::kCommand, config.force);
  const auto torque = context.add_signal("torque", "N*m", SignalRole::kCommand, config.torque);
  if (!force || !torque) return nullptr;
  return std::make_unique<Thruster>(*force, *torque, settings);
}

std::unique_ptr<Actuator> make_magnet(const MagnetConfig& config, BuildContext& context) {
  const auto a = context.find_site(config.a);
  const auto b = context.find_site(config.b);
  if (!a || !b) return nullptr;
  const BodyId body_a = context.model.site(*a).body;
  const BodyId body_b = context.model.site(*b).body;
  if (body_a == body_b) {
    context.error_at("b", "both sites are on the body '{}'; expected two bodies",
                     context.model.body(body_a).name);
    return nullptr;
  }
  if (!context.model.can_move(body_a) && !context.model.can_move(body_b)) {
    context.error_at("b", "neither '{}' nor '{}' ever moves; expected one that can be gripped",
                     context.model.body(body_a).name, context.model.body(body_b).name);
    return nullptr;
  }
  const auto on = context.add_signal("on", "", SignalRole::kCommand, config.on ? 1.0 : 0.0);
  const auto gripping = context.add_signal("gripping", "", SignalRole::kInternal);
  const auto force = context.add_signal("force", "N", SignalRole::kInternal);
  if (!on || !gripping || !force) return nullptr;
  return std::make_unique<Magnet>(*a, *b, Magnet::Slots{*on, *gripping, *force},
                                  Magnet::Settings{.stiffness = config.stiffness,
                                                   .damping = config.damping,
                                                   .torsional_stiffness = config.torsional_stiffness,
                                                   .torsional_damping = config.torsional_damping,
                                                   .reach = config.reach,
                                                   .max_force = config.max_force.value_or(kNoLimit)});
}

std::unique_ptr<Actuator> make_lock(const LockConfig& config, BuildContext& context) {
  const auto joint = context.find_joint(config.joint);
  if (!joint) return nullptr;
  if (!context.model.joint(*joint).detachable) {
    context.error_at("joint", "joint '{}' is not detachable; add detachable=\"true\" to it", config.joint);
    return nullptr;
  }
  const auto hold = context.add_signal("hold", "", SignalRole::kCommand, config.hold ? 1.0 : 0.0);
  const auto holding = context.add_signal("holding", "", SignalRole::kInternal);
  if (!hold || !holding) return nullptr;
  return std::make_unique<Lock>(*joint, *hold, *holding, config.reach.value_or(kNoLimit));
}

}  // namespace

void add_builtin_actuators(Registry& registry) {
  Kinds<Actuator>& kinds = registry.actuators;
  kinds.add<TorqueActuatorConfig>("torque", "Hands a commanded torque or force to a joint.",
                                  make_torque_actuator);
  kinds.add<MotorConfig>(
      "motor", "Motor by its measured characteristic: current in, torque out, over speed if that was measured.",
      make_motor);
  kinds.add<PositionServoConfig>(
      "servo",
      "Position servo: effort = k (reference - q) - d q', with largest effort and speed, and a P gain.",
      make_position_servo);
  kinds.add<SpeedServoConfig>(
      "speed-servo", "Speed servo: effort = g (target - q'), with largest effort and speed.", make_speed_servo);
  kinds.add<TrajectoryMotorConfig>(
      "trajectory",
      "Motor that moves a joint at a commanded velocity, exactly to a goal if it has one: effort = "
      "k (r - q) + d (r' - q') + k/T times the integral of r - q.",
      make_trajectory_motor);
  kinds.add<ThrusterConfig>("thruster", "Pushes a body with a commanded force and torque along an axis.",
                            make_thruster);
  kinds.add<MagnetConfig>("magnet", "Grip between two sites that can be switched: a spring and a damper.",
                          make_magnet);
  kinds.add<LockConfig>("lock", "Lets a detachable joint go, and takes it back, as commanded.", make_lock);
}

}  // namespace lockstep
