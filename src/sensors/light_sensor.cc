#include "sensors/light_sensor.h"

#include <algorithm>

#include "device/context.h"

namespace lockstep {

double lamp_light(double distance) {
  constexpr double kFullScale = 4095.0;
  const double x = 100.0 * distance;  // cm
  const double counts = kFullScale - 19.4 - 0.678 * x + 0.058 * x * x - 0.000589 * x * x * x;
  return std::clamp(counts / kFullScale, 0.0, 1.0);
}

void LightSensor::sense(const World& world, const Instant&, Row row) {
  double light = ambient_;
  if (row[lamp_.is_on] >= 0.5) {
    const Vec3 from = mount_.pose(world).p, to = site_pose(world, lamp_.site).p;
    const double distance = (to - from).norm();
    const bool is_hidden =
        distance > 0.0 && world.cast_ray(from, (to - from) / distance, distance, ignored_).has_value();
    if (!is_hidden) light += lamp_light(distance);
  }
  row[level_] = 1.0 - std::min(1.0, light);
}

std::unique_ptr<Sensor> make_light_sensor(const LightSensorConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  const auto is_on = context.find_signal(config.lamp);
  const auto site = context.find_site(config.lamp_site);
  if (!mount || !is_on || !site) return nullptr;
  const auto level = context.add_signal("level", "", SignalRole::kMeasurement);
  if (!level) return nullptr;
  std::vector<BodyId> ignored = find_ignored(config.ignore, context.model, mount->body);
  ignored.push_back(context.model.site(*site).body);
  return std::make_unique<LightSensor>(*mount, *level, LightSensor::Lamp{*is_on, *site}, std::move(ignored),
                                       config.ambient);
}

}  // namespace lockstep
