#include "sensors/accelerometer.h"

#include "device/context.h"

namespace lockstep {

void Accelerometer::sense(const World& world, const Instant&, Row row) {
  const BodyAcceleration body = world.body_acceleration(mount_.body);
  const Vec3 r = body.orientation * mount_.X_BS.p;
  const Vec3& w = body.angular_velocity;
  const Vec3 proper_W = body.linear + body.angular.cross(r) + w.cross(w.cross(r)) - world.model().gravity;
  write(row, slots_, (body.orientation * mount_.X_BS.q).conjugate() * proper_W);
}

std::unique_ptr<Sensor> make_accelerometer(const AccelerometerConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto slots = add_measurements(kXyz, "m/s^2", context);
  if (!slots) return nullptr;
  return std::make_unique<Accelerometer>(*mount, *slots);
}

}  // namespace lockstep
