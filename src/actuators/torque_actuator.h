#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct TorqueActuatorConfig {
  std::string joint;
  std::string tendon;
  std::optional<double> limit;
  double initial = 0.0;
};

template <class V>
void describe(V& v, TorqueActuatorConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge or slide joint to drive."});
  v.text("tendon", c.tendon, {.doc = "Tendon to drive, instead of a joint."});
  v.number(
      "limit", c.limit,
      {.unit = "N*m or N", .min = 0.0, .doc = "Largest torque or force in either direction; none if omitted."});
  v.number("initial", c.initial, {.unit = "N*m or N", .doc = "Command at the start."});
}

/// Ideal motor: applies the commanded torque (N m, hinge) or force (N, slide) to a joint or tendon, clamped to
/// ±limit.
class TorqueActuator final : public Actuator {
 public:
  TorqueActuator(const Axis& axis, Slot command, double limit)
      : axis_(axis), command_(command), limit_(limit) {}

  void actuate(const Instant&, Row row, World& world) override;

 private:
  Axis axis_;
  Slot command_;
  double limit_;
};

std::unique_ptr<Actuator> make_torque_actuator(const TorqueActuatorConfig& config, BuildContext& context);

}  // namespace lockstep
