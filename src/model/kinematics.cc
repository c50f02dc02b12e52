#include "model/kinematics.h"

namespace lockstep {

Pose joint_motion(const JointModel& joint, std::span<const double> q) {
  switch (joint.type) {
    case JointType::kFixed:
    case JointType::kFree:
      return {};
    case JointType::kSlide:
      return {joint.axis * q[0], Quat::Identity()};
    case JointType::kHinge: {
      const Quat turn(Eigen::AngleAxisd(q[0], joint.axis));
      return {joint.position - turn * joint.position, turn};
    }
    case JointType::kBall: {
      const Quat turn(q[0], q[1], q[2], q[3]);
      return {joint.position - turn * joint.position, turn};
    }
  }
  return {};
}

void follow_couplings(Model& model) {
  for (const CouplingModel& coupling : model.couplings) {
    JointModel& joint = model.joints[index(coupling.joint)];
    const JointModel& followed = model.joint(coupling.follows);
    joint.initial_position[0] = coupling.ratio * followed.initial_position[0] + coupling.offset;
    joint.initial_velocity[0] = coupling.ratio * followed.initial_velocity[0];
  }
}

std::vector<Pose> calc_initial_poses(const Model& model) {
  return calc_poses(model, {});
}

std::vector<Pose> calc_poses(const Model& model, std::span<const double> positions) {
  std::vector<Pose> poses(model.bodies.size());
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    poses[i] = poses[index(body.parent)] * body.X_PB;
    if (!body.joint) continue;
    const JointModel& joint = model.joint(*body.joint);
    if (joint.type == JointType::kFree) {
      const auto& q = joint.initial_position;
      poses[i] = {Vec3(q[0], q[1], q[2]), Quat(q[3], q[4], q[5], q[6])};
    } else if (position_count(joint.type) == 1 && !positions.empty()) {
      poses[i] = poses[i] * joint_motion(joint, positions.subspan(index(*body.joint), 1));
    } else {
      poses[i] = poses[i] * joint_motion(joint, joint.initial_position);
    }
  }
  return poses;
}

}  // namespace lockstep
