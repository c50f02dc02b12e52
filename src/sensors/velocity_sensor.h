#pragma once

#include <memory>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "sensors/mount.h"
#include "sensors/reading.h"

namespace lockstep {

struct VelocitySensorConfig {
  MountConfig mount;
  Axes axes = Axes::kWorld;
};

template <class V>
void describe(V& v, VelocitySensorConfig& c) {
  describe(v, c.mount);
  v.choice("axes", c.axes, kAxes, {.doc = "Axes of the readings: those of the world, or its own."});
}

/// Velocity of a site or body relative to the world: v_WS of its origin (m/s) and w_WS (rad/s), in world axes
/// or its own.
class VelocitySensor final : public Sensor {
 public:
  VelocitySensor(const Mount& mount, Axes axes, const Slots3& linear, const Slots3& angular)
      : mount_(mount), axes_(axes), linear_(linear), angular_(angular) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  Mount mount_;
  Axes axes_;
  Slots3 linear_;
  Slots3 angular_;
};

std::unique_ptr<Sensor> make_velocity_sensor(const VelocitySensorConfig& config, BuildContext& context);

}  // namespace lockstep
