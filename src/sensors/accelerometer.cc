#include "sensors/accelerometer.h"

#include "device/context.h"

namespace lockstep {

void Accelerometer::sense(const World& world, const Instant&, Row row) {
  const Vec3 proper_W = mount_.acceleration(world) - world.model().gravity;
  write(row, slots_, mount_.pose(world).q.conjugate() * proper_W);
}

std::unique_ptr<Sensor> make_accelerometer(const AccelerometerConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto slots = add_measurements(kXyz, "m/s^2", context);
  if (!slots) return nullptr;
  return std::make_unique<Accelerometer>(*mount, *slots);
}

}  // namespace lockstep
