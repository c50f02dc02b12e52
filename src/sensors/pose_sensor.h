#pragma once

#include <array>
#include <memory>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "sensors/mount.h"
#include "sensors/reading.h"

namespace lockstep {

struct PoseSensorConfig {
  MountConfig mount;
};

template <class V>
void describe(V& v, PoseSensorConfig& c) {
  describe(v, c.mount);
}

/// Pose X_WS of a site or body in the world: position (m) and orientation (unit quaternion w, x, y, z).
class PoseSensor final : public Sensor {
 public:
  using QuaternionSlots = std::array<Slot, 4>;  ///< w x y z

  PoseSensor(const Mount& mount, const Slots3& position, const QuaternionSlots& orientation)
      : mount_(mount), position_(position), orientation_(orientation) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  Mount mount_;
  Slots3 position_;
  QuaternionSlots orientation_;
};

std::unique_ptr<Sensor> make_pose_sensor(const PoseSensorConfig& config, BuildContext& context);

}  // namespace lockstep
