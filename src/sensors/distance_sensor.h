#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/mount.h"

namespace lockstep {

class BuildContext;

/// Which bodies the rays of a distance sensor pass through.
enum class Ignored { kNothing, kOwnLink, kOwnRobot };
inline constexpr std::array<std::pair<std::string_view, Ignored>, 3> kIgnored = {
    {{"nothing", Ignored::kNothing}, {"link", Ignored::kOwnLink}, {"robot", Ignored::kOwnRobot}}};

/// The bodies that rays from a sensor on the body `own` pass through.
std::vector<BodyId> find_ignored(Ignored ignored, const Model& model, BodyId own);

struct DistanceSensorConfig {
  MountConfig mount;
  double range = 1.0;
  double minimum = 0.0;
  std::optional<double> nothing;
  double angle = 0.0;
  std::int64_t rays = 1;
  Ignored ignore = Ignored::kOwnLink;
  bool bearing = false;
};

template <class V>
void describe(V& v, DistanceSensorConfig& c) {
  describe(v, c.mount);
  v.number("range", c.range,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "Shapes farther away are not detected."});
  v.number("minimum", c.minimum, {.unit = "m", .min = 0.0, .doc = "Smallest reading."});
  v.number("nothing", c.nothing,
           {.unit = "m", .doc = "Reading when nothing is within the range; the range if omitted."});
  v.number("angle", c.angle,
           {.unit = "rad",
            .min = 0.0,
            .max = 3.141592653589793,
            .doc = "Full opening angle of the cone about +x; 0 is a single ray."});
  v.integer(
      "rays", c.rays,
      {.min = 1, .max = 1000, .doc = "Rays that fill the cone, the first along its axis; 1 without one."});
  v.choice("ignore", c.ignore, kIgnored,
           {.doc = "What the rays pass through: nothing, the sensor's link with all links fixed to it, or "
                   "its whole robot."});
  v.flag("bearing", c.bearing,
         {.doc = "Whether a cone also measures the direction of the nearest shape, as azimuth (positive left) "
                 "and elevation (positive up); both are 0 if nothing is in range."});
  v.check(!c.bearing || c.rays > 1, "bearing", "one ray has one direction; give more 'rays' and an 'angle'");
  v.check(c.minimum <= c.range, "minimum", "minimum is above the range; expected at most that");
  v.check(c.angle == 0.0 || c.rays > 1, "angle",
          "a cone of one ray sees no more than the ray; give more 'rays'");
  v.check(c.angle > 0.0 || c.rays == 1, "rays", "several rays all look the same way; give them an 'angle'");
}

/// Range sensor: distance from the origin of the sensor frame to the nearest collision shape, m, along a ray in
/// +x or the shortest of several rays that fill a cone about +x. Rays also hit ground and terrain.
///
///     reading = max(minimum, shortest hit),   or `nothing` without a hit within the range
///
/// Ray i of n is tilted from the axis by (angle / 2) sqrt(i / (n - 1)) and rotated about it by i golden angles:
/// evenly spread, with the outermost on the edge of the cone.
class DistanceSensor final : public Sensor {
 public:
  struct Settings {
    double range = 1.0;    ///< m
    double minimum = 0.0;  ///< m
    double nothing = 1.0;  ///< reading without a hit, m
    double angle = 0.0;    ///< full opening angle, rad
    std::int64_t rays = 1;
  };

  struct Slots {
    Slot distance;
    std::optional<std::array<Slot, 2>> bearing;  ///< azimuth, elevation
  };

  DistanceSensor(const Mount& mount, const Slots& slots, std::vector<BodyId> ignored, const Settings& settings)
      : mount_(mount),
        slots_(slots),
        ignored_(std::move(ignored)),
        settings_(settings),
        directions_(make_directions(settings.angle, settings.rays)) {}

  void sense(const World& world, const Instant&, Row row) override;

  void list_rays(const World& world, std::vector<SensorRay>& rays) const override;

  static std::vector<Vec3> make_directions(double angle, std::int64_t rays);

 private:
  Mount mount_;
  Slots slots_;
  std::vector<BodyId> ignored_;
  Settings settings_;
  std::vector<Vec3> directions_;  // in the sensor frame
};

std::unique_ptr<Sensor> make_distance_sensor(const DistanceSensorConfig& config, BuildContext& context);

}  // namespace lockstep
