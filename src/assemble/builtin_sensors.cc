#include <array>

#include "assemble/builtin_internal.h"
#include "sensors/joint_sensor.h"
#include "sensors/pose_sensor.h"

namespace lockstep {
namespace {

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
    context.error_at("", "{}",
                     config.site.empty() ? "needs a 'site' or a 'body'"
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

}  // namespace

void add_builtin_sensors(Registry& registry) {
  registry.sensors.add<JointSensorConfig>("joint", "Position and speed of a hinge or slide joint.",
                                          make_joint_sensor);
  registry.sensors.add<PoseSensorConfig>("pose", "Position and orientation of a site or body in the world.",
                                         make_pose_sensor);
}

}  // namespace lockstep
