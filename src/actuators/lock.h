#pragma once

#include <optional>
#include <string>

#include "actuators/actuator.h"
#include "actuators/command.h"
#include "base/field.h"

namespace lockstep {

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
            .doc = "It takes back only what is this near to its place; from anywhere if left out."});
  v.flag("hold", c.hold, {.doc = "Whether it holds at the start."});
}

/// Lets a detachable joint go while its command is 0, and holds it while it is 1. It has the last word: an
/// event that lets the same joint go is undone in the next step.
class Lock final : public Actuator {
 public:
  Lock(JointId joint, Slot hold, Slot holding, double reach)
      : joint_(joint), hold_(hold), holding_(holding), reach_(reach) {}

  void actuate(const Instant&, Row row, World& world) override {
    if (!is_on(row[hold_])) {
      world.set_attached(joint_, false);
    } else if (!world.is_attached(joint_) && distance(world) <= reach_) {
      world.set_attached(joint_, true);
    }
    row[holding_] = world.is_attached(joint_) ? 1.0 : 0.0;
  }

 private:
  /// Of the joint's anchor in the child from that in the parent, m.
  double distance(const World& world) const {
    const JointModel& joint = world.model().joint(joint_);
    const BodyModel& body = world.model().body(joint.body);
    const Vec3 place = world.body_pose(body.parent) * (body.X_PB * joint.position);
    return (world.body_pose(joint.body) * joint.position - place).norm();
  }

  JointId joint_;
  Slot hold_;
  Slot holding_;
  double reach_;  // m
};

}  // namespace lockstep
