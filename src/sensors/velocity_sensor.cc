#include "sensors/velocity_sensor.h"

#include "device/context.h"

namespace lockstep {

void VelocitySensor::sense(const World& world, const Instant&, Row row) {
  Twist velocity = mount_.velocity(world);
  if (axes_ != Axes::kWorld) {
    const Quat R_WS = mount_.pose(world).q;
    velocity = {in_axes(axes_, R_WS, velocity.linear), in_axes(axes_, R_WS, velocity.angular)};
  }
  write(row, linear_, velocity.linear);
  write(row, angular_, velocity.angular);
}

std::unique_ptr<Sensor> make_velocity_sensor(const VelocitySensorConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto linear = add_measurements(std::array{"vx", "vy", "vz"}, "m/s", context);
  const auto angular = add_measurements(std::array{"wx", "wy", "wz"}, "rad/s", context);
  if (!linear || !angular) return nullptr;
  return std::make_unique<VelocitySensor>(*mount, config.axes, *linear, *angular);
}

}  // namespace lockstep
