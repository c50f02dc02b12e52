#include "sensors/encoder.h"

#include <cmath>
#include <numbers>

#include "device/context.h"

namespace lockstep {

void Encoder::sense(const World& world, const Instant&, Row row) {
  row[count_] = std::floor(ticks_per_radian_ * world.joint_position(joint_)[0]);
  row[rate_] = ticks_per_radian_ * world.joint_velocity(joint_)[0];
}

std::unique_ptr<Sensor> make_encoder(const EncoderConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  if (context.model.joint(*joint).type != JointType::kHinge) {
    context.error_at("joint", "joint '{}' is a slide; expected a hinge", config.joint);
    return nullptr;
  }
  const auto count = context.add_signal("count", "", SignalRole::kMeasurement);
  const auto rate = context.add_signal("rate", "1/s", SignalRole::kMeasurement);
  if (!count || !rate) return nullptr;
  return std::make_unique<Encoder>(*joint, *count, *rate, config.ticks / (2.0 * std::numbers::pi));
}

}  // namespace lockstep
