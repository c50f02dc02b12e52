#include "actuators/lock.h"

#include "actuators/command.h"
#include "device/context.h"

namespace lockstep {

void Lock::actuate(const Instant&, Row row, World& world) {
  if (!is_on(row[hold_])) {
    world.set_attached(joint_, false);
  } else if (!world.is_attached(joint_) && distance(world) <= reach_) {
    world.set_attached(joint_, true);
  }
  row[holding_] = world.is_attached(joint_) ? 1.0 : 0.0;
}

double Lock::distance(const World& world) const {
  const JointModel& joint = world.model().joint(joint_);
  const BodyModel& body = world.model().body(joint.body);
  const Vec3 place = world.body_pose(body.parent) * (body.X_PB * joint.position);
  return (world.body_pose(joint.body) * joint.position - place).norm();
}

std::unique_ptr<Actuator> make_lock(const LockConfig& config, BuildContext& context) {
  const auto joint = context.find_joint(config.joint);
  if (!joint) return nullptr;
  if (!context.model.joint(*joint).detachable) {
    context.error_at("joint", "joint '{}' is not detachable; add detachable=\"true\" to it", config.joint);
    return nullptr;
  }
  const auto hold = context.add_signal("hold", "", SignalRole::kCommand, config.hold ? 1.0 : 0.0);
  const auto holding = context.add_signal("holding", "", SignalRole::kInternal);
  if (!hold || !holding) return nullptr;
  return std::make_unique<Lock>(*joint, *hold, *holding, config.reach.value_or(kNoLimit));
}

}  // namespace lockstep
