#pragma once

#include <memory>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "sensors/mount.h"
#include "sensors/reading.h"

namespace lockstep {

struct GyroConfig {
  MountConfig mount;
};

template <class V>
void describe(V& v, GyroConfig& c) {
  describe(v, c.mount);
}

/// Three-axis gyroscope: measures angular velocity.
///
///     reading = R_SW w_WS_W,   rad/s, expressed in the sensor frame S
class Gyro final : public Sensor {
 public:
  Gyro(const Mount& mount, const Slots3& slots) : mount_(mount), slots_(slots) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  Mount mount_;
  Slots3 slots_;
};

std::unique_ptr<Sensor> make_gyro(const GyroConfig& config, BuildContext& context);

}  // namespace lockstep
