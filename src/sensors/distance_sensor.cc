#include "sensors/distance_sensor.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "device/context.h"
#include "model/kinematics.h"

namespace lockstep {
namespace {

/// The topmost of the bodies that are rigidly connected to this one.
BodyId rigid_root(const Model& model, BodyId id) {
  while (model.body(id).parent != kWorldBody && is_welded(model, model.body(id))) id = model.body(id).parent;
  return id;
}

/// "arm" of "arm/forearm"; the name of an object itself.
std::string_view robot_of(const Model& model, BodyId id) {
  const std::string_view name = model.body(id).name;
  return name.substr(0, name.find('/'));
}

}  // namespace

std::vector<BodyId> find_ignored(Ignored ignored, const Model& model, BodyId own) {
  std::vector<BodyId> bodies;
  if (ignored == Ignored::kNothing || own == kWorldBody) return bodies;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyId other{static_cast<int>(i)};
    if (ignored == Ignored::kOwnRobot ? robot_of(model, other) == robot_of(model, own)
                                      : rigid_root(model, other) == rigid_root(model, own)) {
      bodies.push_back(other);
    }
  }
  return bodies;
}

void DistanceSensor::sense(const World& world, const Instant&, Row row) {
  const Pose X_WS = mount_.pose(world);
  std::optional<double> nearest;
  Vec3 nearest_S = Vec3::UnitX();
  for (const Vec3& direction_S : directions_) {
    // A ray need not go further than the nearest hit so far.
    const double reach = nearest.value_or(settings_.range);
    const auto hit = world.cast_ray(X_WS.p, X_WS.q * direction_S, reach, ignored_);
    if (!hit) continue;
    nearest = hit->distance;
    nearest_S = direction_S;
  }
  row[slots_.distance] = nearest ? std::max(*nearest, settings_.minimum) : settings_.nothing;
  if (!slots_.bearing) return;
  row[(*slots_.bearing)[0]] = std::atan2(nearest_S.y(), nearest_S.x());
  row[(*slots_.bearing)[1]] = std::asin(nearest_S.z());
}

void DistanceSensor::list_rays(const World& world, std::vector<SensorRay>& rays) const {
  const Pose X_WS = mount_.pose(world);
  for (const Vec3& direction_S : directions_) {
    const Vec3 direction = X_WS.q * direction_S;
    const auto hit = world.cast_ray(X_WS.p, direction, settings_.range, ignored_);
    rays.push_back({X_WS.p, X_WS.p + (hit ? hit->distance : settings_.range) * direction});
  }
}

std::vector<Vec3> DistanceSensor::make_directions(double angle, std::int64_t rays) {
  const double golden_angle = std::numbers::pi * (3.0 - std::sqrt(5.0));
  std::vector<Vec3> directions = {Vec3::UnitX()};
  for (std::int64_t i = 1; i < rays; ++i) {
    const double lean = 0.5 * angle * std::sqrt(static_cast<double>(i) / static_cast<double>(rays - 1));
    const double turn = golden_angle * static_cast<double>(i);
    directions.emplace_back(std::cos(lean), std::sin(lean) * std::cos(turn), std::sin(lean) * std::sin(turn));
  }
  return directions;
}

std::unique_ptr<Sensor> make_distance_sensor(const DistanceSensorConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto distance = context.add_signal("distance", "m", SignalRole::kMeasurement);
  if (!distance) return nullptr;
  DistanceSensor::Slots slots{*distance, {}};
  if (config.bearing) {
    const auto bearing = add_measurements(std::array{"azimuth", "elevation"}, "rad", context);
    if (!bearing) return nullptr;
    slots.bearing = *bearing;
  }
  const DistanceSensor::Settings settings{.range = config.range,
                                          .minimum = config.minimum,
                                          .nothing = config.nothing.value_or(config.range),
                                          .angle = config.angle,
                                          .rays = config.rays};
  return std::make_unique<DistanceSensor>(*mount, slots,
                                          find_ignored(config.ignore, context.model, mount->body), settings);
}

}  // namespace lockstep
