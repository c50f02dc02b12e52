#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/distance_sensor.h"

namespace lockstep {

struct BeamConfig {
  MountConfig mount;
  double length = 0.01;
  Ignored ignore = Ignored::kOwnLink;
};

template <class V>
void describe(V& v, BeamConfig& c) {
  describe(v, c.mount);
  v.number("length", c.length,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "From the lamp to the eye."});
  v.choice(
      "ignore", c.ignore, kIgnored,
      {.doc = "What the beam passes through: nothing, the sensor's link with all links fixed to it, or its "
              "whole robot."});
}

/// Light barrier ("slot sensor"): `broken` is 1 while a collision shape is in the beam along +x of its frame.
class Beam final : public Sensor {
 public:
  Beam(const Mount& mount, Slot broken, std::vector<BodyId> ignored, double length)
      : mount_(mount), broken_(broken), ignored_(std::move(ignored)), length_(length) {}

  void sense(const World& world, const Instant&, Row row) override;
  void list_rays(const World& world, std::vector<SensorRay>& rays) const override;

 private:
  Mount mount_;
  Slot broken_;
  std::vector<BodyId> ignored_;
  double length_;  // m
};

std::unique_ptr<Sensor> make_beam(const BeamConfig& config, BuildContext& context);

}  // namespace lockstep
