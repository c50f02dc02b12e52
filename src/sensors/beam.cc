#include "sensors/beam.h"

#include "device/context.h"

namespace lockstep {

void Beam::sense(const World& world, const Instant&, Row row) {
  const Pose X_WS = mount_.pose(world);
  row[broken_] = world.cast_ray(X_WS.p, X_WS.q * Vec3::UnitX(), length_, ignored_) ? 1.0 : 0.0;
}

void Beam::list_rays(const World& world, std::vector<SensorRay>& rays) const {
  const Pose X_WS = mount_.pose(world);
  rays.push_back({X_WS.p, X_WS.p + length_ * (X_WS.q * Vec3::UnitX())});
}

std::unique_ptr<Sensor> make_beam(const BeamConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto broken = context.add_signal("broken", "", SignalRole::kMeasurement);
  if (!broken) return nullptr;
  return std::make_unique<Beam>(*mount, *broken, find_ignored(config.ignore, context.model, mount->body),
                                config.length);
}

}  // namespace lockstep
