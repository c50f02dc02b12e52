#include "sensors/reflectance.h"

#include "device/context.h"

namespace lockstep {

void Reflectance::sense(const World& world, const Instant&, Row row) {
  const Pose X_WS = mount_.pose(world);
  double brightness = 0.0;
  if (const auto hit = world.cast_ray(X_WS.p, X_WS.q * Vec3::UnitX(), range_, ignored_)) {
    const Color& color = world.model().shapes[static_cast<std::size_t>(hit->shape)].color;
    brightness = (color[0] + color[1] + color[2]) / 3.0;
  }
  row[level_] = black_ + (white_ - black_) * brightness;
}

void Reflectance::list_rays(const World& world, std::vector<SensorRay>& rays) const {
  const Pose X_WS = mount_.pose(world);
  rays.push_back({X_WS.p, X_WS.p + range_ * (X_WS.q * Vec3::UnitX())});
}

std::unique_ptr<Sensor> make_reflectance(const ReflectanceConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto level = context.add_signal("level", "", SignalRole::kMeasurement);
  if (!level) return nullptr;
  return std::make_unique<Reflectance>(*mount, *level, find_ignored(config.ignore, context.model, mount->body),
                                       config);
}

}  // namespace lockstep
