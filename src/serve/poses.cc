#include "serve/poses.h"

namespace lockstep::serve {

void append_poses(std::vector<float>& numbers, const World& world) {
  for (std::size_t i = 0; i < world.model().bodies.size(); ++i) {
    const Pose pose = world.body_pose(BodyId{static_cast<int>(i)});
    for (const double x : {pose.p.x(), pose.p.y(), pose.p.z(), pose.q.w(), pose.q.x(), pose.q.y(), pose.q.z()})
      numbers.push_back(static_cast<float>(x));
  }
}

void append_joint_positions(std::vector<float>& numbers, const World& world) {
  for (std::size_t i = 0; i < world.model().joints.size(); ++i) {
    const JointType type = world.model().joints[i].type;
    const bool is_one_number = type == JointType::kHinge || type == JointType::kSlide;
    numbers.push_back(is_one_number ? static_cast<float>(world.joint_position(JointId{static_cast<int>(i)})[0])
                                    : 0.0f);
  }
}

}  // namespace lockstep::serve
