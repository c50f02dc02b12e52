#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/distance_sensor.h"

namespace lockstep {

struct InfraredRangeConfig {
  MountConfig mount;
  Ignored ignore = Ignored::kOwnLink;
};

template <class V>
void describe(V& v, InfraredRangeConfig& c) {
  describe(v, c.mount);
  v.choice("ignore", c.ignore, kIgnored,
           {.doc = "What the rays pass through: nothing, the sensor's link with all links fixed to it, or "
                   "its whole robot."});
}

/// Output of an infrared range finder that measures by triangulation from 10 to 80 cm, over the distance in m, as
/// a fraction of the full scale of its converter: it falls from 10 cm on, is highest between 3 and 8 cm, and falls
/// to 0 at contact, where the light no longer meets the detector.
double infrared_range_level(double distance);

/// Infrared range finder ("ET"): looks along +x of its frame with three rays within 2 degrees and reports the level
/// of the nearest shape.
class InfraredRange final : public Sensor {
 public:
  InfraredRange(const Mount& mount, Slot level, std::vector<BodyId> ignored)
      : mount_(mount), level_(level), ignored_(std::move(ignored)) {}

  void sense(const World& world, const Instant&, Row row) override;
  void list_rays(const World& world, std::vector<SensorRay>& rays) const override;

 private:
  double nearest(const World& world) const;

  Mount mount_;
  Slot level_;
  std::vector<BodyId> ignored_;
};

std::unique_ptr<Sensor> make_infrared_range(const InfraredRangeConfig& config, BuildContext& context);

}  // namespace lockstep
