#include "sensors/potentiometer.h"

#include <algorithm>

#include "device/context.h"

namespace lockstep {

void Potentiometer::sense(const World& world, const Instant&, Row row) {
  row[level_] = std::clamp((world.joint_position(joint_)[0] - from_) / (to_ - from_), 0.0, 1.0);
}

std::unique_ptr<Sensor> make_potentiometer(const PotentiometerConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const char* unit = context.model.joint(*joint).type == JointType::kSlide ? "m" : "rad";
  if (!context.require_units({{"from", unit}, {"to", unit}})) return nullptr;
  const auto level = context.add_signal("level", "", SignalRole::kMeasurement);
  if (!level) return nullptr;
  return std::make_unique<Potentiometer>(*joint, *level, config.from, config.to);
}

}  // namespace lockstep
