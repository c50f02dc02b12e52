#include "physics/initial_state.h"

#include "model/kinematics.h"

namespace lockstep {

std::vector<Pose> calc_reference_poses(const Model& model) {
  std::vector<Pose> poses(model.bodies.size());
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    poses[i] = poses[index(model.bodies[i].parent)] * model.bodies[i].X_PB;
  }
  return poses;
}

std::vector<Twist> calc_initial_velocities(const Model& model, const std::vector<Pose>& initial_poses) {
  std::vector<Twist> velocities(model.bodies.size());
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    const Pose& X_WB = initial_poses[i];
    const Twist& parent = velocities[index(body.parent)];
    const Vec3 p_PB_W = X_WB.p - initial_poses[index(body.parent)].p;
    Twist& velocity = velocities[i];
    velocity = {parent.linear + parent.angular.cross(p_PB_W), parent.angular};
    if (!body.joint) continue;

    const JointModel& joint = model.joint(*body.joint);
    const auto& v = joint.initial_velocity;
    // The joint adds a rotation about its anchor, or a translation along its axis.
    const auto add_turn = [&](const Vec3& turn_B) {
      const Vec3 turn_W = X_WB.q * turn_B;
      velocity.angular += turn_W;
      velocity.linear -= turn_W.cross(X_WB.q * joint.position);
    };
    switch (joint.type) {
      case JointType::kFixed:
        break;
      case JointType::kHinge:
        add_turn(joint.axis * v[0]);
        break;
      case JointType::kBall:
        add_turn({v[0], v[1], v[2]});
        break;
      case JointType::kSlide:
        velocity.linear += X_WB.q * joint.axis * v[0];
        break;
      case JointType::kFree:
        velocity = {Vec3(v[0], v[1], v[2]), X_WB.q * Vec3(v[3], v[4], v[5])};
        break;
    }
  }
  return velocities;
}

std::vector<bool> find_moving_bodies(const Model& model) {
  std::vector<bool> moves(model.bodies.size(), false);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    moves[i] = !is_welded(model, body) || moves[index(body.parent)];
  }
  return moves;
}

std::vector<bool> find_driven_bodies(const Model& model) {
  const std::vector<bool> moves = find_moving_bodies(model);
  std::vector<bool> driven(model.bodies.size(), false);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    const bool parent_follows = driven[index(body.parent)] || !moves[index(body.parent)];
    driven[i] =
        is_welded(model, body) ? driven[index(body.parent)] : parent_follows && model.joint(*body.joint).driven;
  }
  return driven;
}

}  // namespace lockstep
