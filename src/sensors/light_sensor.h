#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/distance_sensor.h"

namespace lockstep {

struct LightSensorConfig {
  MountConfig mount;
  std::string lamp;
  std::string lamp_site;
  double ambient = 450.0 / 4095.0;
  Ignored ignore = Ignored::kOwnLink;
};

template <class V>
void describe(V& v, LightSensorConfig& c) {
  describe(v, c.mount);
  v.text("lamp", c.lamp,
         {.doc = "Signal that is 1 while the lamp is on, such as 'panel/start'.", .required = true});
  v.text("lamp_site", c.lamp_site, {.doc = "Site where the lamp is.", .required = true});
  v.number("ambient", c.ambient, {.min = 0.0, .max = 1.0, .doc = "Light of the room; 1 is the full scale."});
  v.choice(
      "ignore", c.ignore, kIgnored,
      {.doc = "What the light passes through: nothing, the sensor's link with all links fixed to it, or its "
              "whole robot."});
}

/// What a lamp at a distance in m adds to the light, as a fraction of the full scale: a fit to measurements with a
/// 12-bit converter, nearly 1 up to 1.3 m, and 0 from where the fit has fallen to 0.
double lamp_light(double distance);

/// Light sensor: bright is low. It receives light from all directions; a shape between it and the lamp hides the lamp.
///
///     level = 1 - min(1, ambient + lamp_light(distance) if the lamp is on and visible)
class LightSensor final : public Sensor {
 public:
  struct Lamp {
    Slot is_on{};
    SiteId site{};
  };

  LightSensor(const Mount& mount, Slot level, const Lamp& lamp, std::vector<BodyId> ignored, double ambient)
      : mount_(mount), level_(level), lamp_(lamp), ignored_(std::move(ignored)), ambient_(ambient) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  Mount mount_;
  Slot level_;
  Lamp lamp_;
  std::vector<BodyId> ignored_;  // also the body of the lamp
  double ambient_;
};

std::unique_ptr<Sensor> make_light_sensor(const LightSensorConfig& config, BuildContext& context);

}  // namespace lockstep
