#include "sensors/gyro.h"

#include "device/context.h"

namespace lockstep {

void Gyro::sense(const World& world, const Instant&, Row row) {
  write(row, slots_, mount_.pose(world).q.conjugate() * world.body_velocity(mount_.body).angular);
}

std::unique_ptr<Sensor> make_gyro(const GyroConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto slots = add_measurements(kXyz, "rad/s", context);
  if (!slots) return nullptr;
  return std::make_unique<Gyro>(*mount, *slots);
}

}  // namespace lockstep
