#include "sensors/pose_sensor.h"

#include "device/context.h"

namespace lockstep {

void PoseSensor::sense(const World& world, const Instant&, Row row) {
  const Pose X_WS = mount_.pose(world);
  write(row, position_, X_WS.p);
  row[orientation_[0]] = X_WS.q.w();
  row[orientation_[1]] = X_WS.q.x();
  row[orientation_[2]] = X_WS.q.y();
  row[orientation_[3]] = X_WS.q.z();
}

std::unique_ptr<Sensor> make_pose_sensor(const PoseSensorConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto position = add_measurements(kXyz, "m", context);
  const auto orientation = add_measurements(std::array{"qw", "qx", "qy", "qz"}, "", context);
  if (!position || !orientation) return nullptr;
  return std::make_unique<PoseSensor>(*mount, *position, *orientation);
}

}  // namespace lockstep
