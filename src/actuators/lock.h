#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct LockConfig {
  std::string joint;
  std::optional<double> reach;
  bool hold = true;
};

template <class V>
void describe(V& v, LockConfig& c) {
  v.text("joint", c.joint, {.doc = "Detachable joint to detach and attach.", .required = true});
  v.number("reach", c.reach,
           {.unit = "m", .min = 0.0, .doc = "Attaches only within this distance; at any distance if omitted."});
  v.flag("hold", c.hold, {.doc = "Whether the joint is attached at the start."});
}

/// Detaches a detachable joint while its command is 0 and attaches it while it is 1. The lock overrides events:
/// an event that detaches the same joint is undone in the next step.
class Lock final : public Actuator {
 public:
  Lock(JointId joint, Slot hold, Slot holding, double reach)
      : joint_(joint), hold_(hold), holding_(holding), reach_(reach) {}

  void actuate(const Instant&, Row row, World& world) override;

 private:
  /// Between the joint's anchors in the child and in the parent, m.
  double distance(const World& world) const;

  JointId joint_;
  Slot hold_;
  Slot holding_;
  double reach_;  // m
};

std::unique_ptr<Actuator> make_lock(const LockConfig& config, BuildContext& context);

}  // namespace lockstep
