#pragma once

#include <vector>

#include "base/math.h"
#include "base/state.h"
#include "base/time.h"
#include "physics/world.h"
#include "signals/table.h"

namespace lockstep {

struct SensorErrors;

/// A line along which a sensor looks, up to what it meets; for drawing.
struct SensorRay {
  Vec3 start = Vec3::Zero();
  Vec3 end = Vec3::Zero();
};

/// Turns the state of the world into signals. Called first in a step, at the sensor's own rate.
class Sensor : public Stateful {
 public:
  using Shared =
      SensorErrors;  ///< the elements of all sensors have <error> children (sensors/imperfect_sensor.h)

  virtual void sense(const World& world, const Instant& now, Row row) = 0;
  virtual Tracking needs() const { return {}; }                           ///< what the world must keep for it
  virtual void list_rays(const World&, std::vector<SensorRay>&) const {}  ///< appends where it looks now
};

}  // namespace lockstep
