#include <array>
#include <cmath>
#include <limits>

#include "actuators/position_servo.h"
#include "actuators/torque_actuator.h"
#include "assemble/registry.h"
#include "control/sine.h"
#include "physics/mujoco/mujoco_world.h"
#include "sensors/joint_sensor.h"
#include "sensors/pose_sensor.h"

namespace lockstep {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The words for a joint that turns and for one that slides.
struct AxisWords {
  const char* position;
  const char* position_unit;
  const char* speed_unit;
  const char* effort;
  const char* effort_unit;
  const char* stiffness_unit;
  const char* damping_unit;
};
constexpr AxisWords kHingeWords = {"angle", "rad", "rad/s", "torque", "N*m", "N*m/rad", "N*m*s/rad"};
constexpr AxisWords kSlideWords = {"position", "m", "m/s", "force", "N", "N/m", "N*s/m"};

const AxisWords& words_for(const Model& model, JointId joint) {
  return model.joint(joint).type == JointType::kSlide ? kSlideWords : kHingeWords;
}

std::unique_ptr<Sensor> make_joint_sensor(const JointSensorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const auto position = context.add_signal(words.position, words.position_unit, SignalRole::kMeasurement);
  const auto speed = context.add_signal("speed", words.speed_unit, SignalRole::kMeasurement);
  if (!position || !speed) return nullptr;
  return std::make_unique<JointSensor>(*joint, *position, *speed);
}

std::unique_ptr<Sensor> make_pose_sensor(const PoseSensorConfig& config, BuildContext& context) {
  if (config.site.empty() == config.body.empty()) {
    context.error_at("", "{}", config.site.empty() ? "needs a 'site' or a 'body'"
                                                   : "has both 'site' and 'body'; expected one of them");
    return nullptr;
  }
  BodyId body = kWorldBody;
  Pose X_BS;
  if (!config.site.empty()) {
    const auto site = context.find_site(config.site);
    if (!site) return nullptr;
    body = context.model.site(*site).body;
    X_BS = context.model.site(*site).X_BS;
  } else {
    const auto found = context.find_body(config.body);
    if (!found) return nullptr;
    body = *found;
  }
  constexpr std::array<std::pair<const char*, const char*>, 7> kSignals = {
      {{"x", "m"}, {"y", "m"}, {"z", "m"}, {"qw", ""}, {"qx", ""}, {"qy", ""}, {"qz", ""}}};
  PoseSensor::Slots slots{};
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    const auto slot = context.add_signal(kSignals[i].first, kSignals[i].second, SignalRole::kMeasurement);
    if (!slot) return nullptr;
    slots[i] = *slot;
  }
  return std::make_unique<PoseSensor>(body, X_BS, slots);
}

std::unique_ptr<Actuator> make_torque_actuator(const TorqueActuatorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  bool fits = context.require_unit("limit", words.effort_unit);
  fits = context.require_unit("initial", words.effort_unit) && fits;
  const auto command = context.add_signal(words.effort, words.effort_unit, SignalRole::kCommand, config.initial);
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

std::unique_ptr<Controller> make_sine(const SineConfig& config, BuildContext& context) {
  const auto signal = context.find_command(config.signal);
  if (!signal) return nullptr;
  const std::string& unit = context.signals.info(*signal).unit;
  bool fits = context.require_unit("amplitude", unit);
  fits = context.require_unit("offset", unit) && fits;
  if (!fits) return nullptr;
  return std::make_unique<Sine>(*signal, config);
}

}  // namespace

Registry default_registry() {
  Registry registry;
  registry.engines["mujoco"] = make_mujoco_world;
  registry.sensors.add<JointSensorConfig>("joint", "Position and speed of a hinge or slide joint.", make_joint_sensor);
  registry.sensors.add<PoseSensorConfig>("pose", "Position and orientation of a site or body in the world.",
                                         make_pose_sensor);
  registry.actuators.add<TorqueActuatorConfig>("torque", "Hands a commanded torque or force to a joint.",
                                               make_torque_actuator);
  registry.actuators.add<PositionServoConfig>(
      "servo", "Position servo: effort = k (reference - q) - d q', with largest effort and speed.", make_position_servo);
  registry.controllers.add<SineConfig>("sine", "Sine generator: amplitude sin(2 pi frequency t + phase) + offset.",
                                       make_sine);
  return registry;
}

}  // namespace lockstep
