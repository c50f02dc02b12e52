#include "sensors/sonar.h"

#include <algorithm>

#include "device/context.h"

namespace lockstep {
namespace {

constexpr std::int64_t kRays = 20;

}  // namespace

Sonar::Sonar(const Mount& mount, Slot level, std::vector<BodyId> ignored, const SonarConfig& config)
    : mount_(mount),
      level_(level),
      ignored_(std::move(ignored)),
      range_(config.range),
      full_scale_(config.full_scale),
      directions_(DistanceSensor::make_directions(config.angle, config.angle > 0.0 ? kRays : 1)) {}

double Sonar::nearest(const World& world) const {
  const Pose X_WS = mount_.pose(world);
  double reach = range_;
  for (const Vec3& direction_S : directions_) {
    if (const auto hit = world.cast_ray(X_WS.p, X_WS.q * direction_S, reach, ignored_)) reach = hit->distance;
  }
  return reach;
}

void Sonar::sense(const World& world, const Instant&, Row row) {
  row[level_] = std::min(1.0, nearest(world) / full_scale_);
}

void Sonar::list_rays(const World& world, std::vector<SensorRay>& rays) const {
  const Pose X_WS = mount_.pose(world);
  const double reach = nearest(world);
  for (const Vec3& direction_S : directions_) rays.push_back({X_WS.p, X_WS.p + reach * (X_WS.q * direction_S)});
}

std::unique_ptr<Sensor> make_sonar(const SonarConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto level = context.add_signal("level", "", SignalRole::kMeasurement);
  if (!level) return nullptr;
  return std::make_unique<Sonar>(*mount, *level, find_ignored(config.ignore, context.model, mount->body),
                                 config);
}

}  // namespace lockstep
