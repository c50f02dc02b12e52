#include "sensors/infrared_range.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "device/context.h"

namespace lockstep {
namespace {

constexpr double kFullScale = 4095.0;  // counts of the converter the curve was measured with
constexpr double kFarthest = 1.0;      // m; the curve is constant well before
constexpr double kSpread = 0.035;      // rad, 2 degrees

}  // namespace

double infrared_range_level(double distance) {
  const double d = 100.0 * distance;  // cm
  double counts = 450.0;
  if (d <= 3.0) {
    counts = 970.0 * d;
  } else if (d < 8.0) {
    counts = 2910.0;
  } else if (d < 10.0) {
    counts = 2910.0 - (2910.0 - 2539.0) * (d - 8.0) / 2.0;
  } else if (d < 45.0) {
    const double u = 0.0444 * d - 1.2222;
    counts = 1230.9875 - 1117.2 * u + 723.6306 * u * u;
  } else if (d < 80.0) {
    counts = 800.0 * std::pow(450.0 / 800.0, (d - 45.0) / 35.0);
  }
  return counts / kFullScale;
}

double InfraredRange::nearest(const World& world) const {
  const Pose X_WS = mount_.pose(world);
  double reach = kFarthest;
  for (const double azimuth : std::array{0.0, -kSpread, kSpread}) {
    const Vec3 direction_S(std::cos(azimuth), std::sin(azimuth), 0.0);
    if (const auto hit = world.cast_ray(X_WS.p, X_WS.q * direction_S, reach, ignored_)) reach = hit->distance;
  }
  return reach;
}

void InfraredRange::sense(const World& world, const Instant&, Row row) {
  row[level_] = infrared_range_level(nearest(world));
}

void InfraredRange::list_rays(const World& world, std::vector<SensorRay>& rays) const {
  const Pose X_WS = mount_.pose(world);
  rays.push_back({X_WS.p, X_WS.p + nearest(world) * (X_WS.q * Vec3::UnitX())});
}

std::unique_ptr<Sensor> make_infrared_range(const InfraredRangeConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto level = context.add_signal("level", "", SignalRole::kMeasurement);
  if (!level) return nullptr;
  return std::make_unique<InfraredRange>(*mount, *level,
                                         find_ignored(config.ignore, context.model, mount->body));
}

}  // namespace lockstep
