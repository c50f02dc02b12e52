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
  v.text("joint", c.joint, {.doc = "Detachable joint to let go and to take back.", .required = true});
  v.number("reach", c.reach,
           {.unit = "m",
            .min = 0.0,
            .doc = "It takes back only what is this near to its place; from anywhere if omitted."});
  v.flag("hold", c.hold, {.doc = "Whether it holds at the start."});
}

/// Lets a detachable joint go while its command is 0, and holds it while it is 1. It has the last word: an
/// event that lets the same joint go is undone in the next step.
class Lock final : public Actuator {
 public:
  Lock(JointId joint, Slot hold, Slot holding, double reach)
      : joint_(joint), hold_(hold), holding_(holding), reach_(reach) {}

  void actuate(const Instant&, Row row, World& world) override;

 private:
  /// Of the joint's anchor in the child from that in the parent, m.
  double distance(const World& world) const;

  JointId joint_;
  Slot hold_;
  Slot holding_;
  double reach_;  // m
};

std::unique_ptr<Actuator> make_lock(const LockConfig& config, BuildContext& context);

}  // namespace lockstep
