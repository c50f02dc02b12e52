#pragma once

#include <memory>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "sensors/mount.h"
#include "sensors/reading.h"

namespace lockstep {

struct AccelerometerConfig {
  MountConfig mount;
};

template <class V>
void describe(V& v, AccelerometerConfig& c) {
  describe(v, c.mount);
}

/// Three-axis accelerometer: measures proper acceleration, so at rest it reads +9.81 m/s^2 upwards and in free
/// fall it reads zero.
///
///     reading = R_SW (a_WS_W - g_W),   m/s^2, expressed in the sensor frame S
///     a_WS_W = a_WB_W + α × r + ω × (ω × r),   at r from the origin of the body B
///
/// All of one instant, the start of the last step. Before the first step it reads as at rest.
class Accelerometer final : public Sensor {
 public:
  Accelerometer(const Mount& mount, const Slots3& slots) : mount_(mount), slots_(slots) {}

  void sense(const World& world, const Instant&, Row row) override;
  Tracking needs() const override { return {.accelerations = true}; }

 private:
  Mount mount_;
  Slots3 slots_;
};

std::unique_ptr<Sensor> make_accelerometer(const AccelerometerConfig& config, BuildContext& context);

}  // namespace lockstep
