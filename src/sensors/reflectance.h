#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/distance_sensor.h"

namespace lockstep {

struct ReflectanceConfig {
  MountConfig mount;
  double range = 0.015;
  double white = 0.06;
  double black = 0.93;
  Ignored ignore = Ignored::kOwnRobot;
};

template <class V>
void describe(V& v, ReflectanceConfig& c) {
  describe(v, c.mount);
  v.number("range", c.range,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "Surfaces farther away read as black."});
  v.number("white", c.white, {.min = 0.0, .max = 1.0, .doc = "Level over white."});
  v.number("black", c.black, {.min = 0.0, .max = 1.0, .doc = "Level over black, and over nothing."});
  v.choice("ignore", c.ignore, kIgnored,
           {.doc = "What the ray passes through: nothing, the sensor's link with all links fixed to it, or "
                   "its whole robot."});
}

/// Reflectance sensor ("top hat"): looks along +x of its frame at the color of the nearest shape.
///
///     level = black + (white - black) brightness,   brightness = mean of red, green and blue, 0 to 1
class Reflectance final : public Sensor {
 public:
  Reflectance(const Mount& mount, Slot level, std::vector<BodyId> ignored, const ReflectanceConfig& config)
      : mount_(mount),
        level_(level),
        ignored_(std::move(ignored)),
        range_(config.range),
        white_(config.white),
        black_(config.black) {}

  void sense(const World& world, const Instant&, Row row) override;
  void list_rays(const World& world, std::vector<SensorRay>& rays) const override;

 private:
  Mount mount_;
  Slot level_;
  std::vector<BodyId> ignored_;
  double range_;  // m
  double white_;
  double black_;
};

std::unique_ptr<Sensor> make_reflectance(const ReflectanceConfig& config, BuildContext& context);

}  // namespace lockstep
