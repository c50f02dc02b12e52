#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/distance_sensor.h"

namespace lockstep {

struct SonarConfig {
  MountConfig mount;
  double range = 6.0;
  double angle = 0.5235987755982988;  // 30 deg
  double full_scale = 8.99217;
  Ignored ignore = Ignored::kOwnRobot;
};

template <class V>
void describe(V& v, SonarConfig& c) {
  describe(v, c.mount);
  v.number("range", c.range,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "Farthest distance; beyond it reads as this."});
  v.number("angle", c.angle,
           {.unit = "rad", .min = 0.0, .max = 3.141592653589793, .doc = "Full opening angle of the cone."});
  v.number("full_scale", c.full_scale,
           {.unit = "m",
            .min = 0.0,
            .above_min = true,
            .doc = "Distance of level 1. The default makes 8.79 mm of each count of a 10-bit converter."});
  v.choice(
      "ignore", c.ignore, kIgnored,
      {.doc = "What the sound passes through: nothing, the sensor's link with all links fixed to it, or its "
              "whole robot."});
}

/// Ultrasonic range finder: the nearest shape in a cone about +x of its frame.
///
///     level = min(1, min(distance, range) / full_scale)
class Sonar final : public Sensor {
 public:
  Sonar(const Mount& mount, Slot level, std::vector<BodyId> ignored, const SonarConfig& config);

  void sense(const World& world, const Instant&, Row row) override;
  void list_rays(const World& world, std::vector<SensorRay>& rays) const override;

 private:
  double nearest(const World& world) const;

  Mount mount_;
  Slot level_;
  std::vector<BodyId> ignored_;
  double range_;       // m
  double full_scale_;  // m
  std::vector<Vec3> directions_;
};

std::unique_ptr<Sensor> make_sonar(const SonarConfig& config, BuildContext& context);

}  // namespace lockstep
