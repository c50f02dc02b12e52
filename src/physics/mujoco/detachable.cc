#include "physics/mujoco/detachable.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {
namespace {

Quat body_rotation(const mjData& d, int body) {
  return quat(d.xquat + 4 * body);
}

Vec3 angular_velocity(const mjModel& m, const mjData& d, int body) {
  std::array<double, 6> velocity{};
  mj_objectVelocity(&m, &d, mjOBJ_XBODY, body, velocity.data(), 0);
  return vec3(velocity.data());
}

/// The angle that differs from `angle` by full turns and lies nearest to `before`.
double unwrap(double angle, double before) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return angle + kTurn * std::round((before - angle) / kTurn);
}

}  // namespace

DetachableJoints::DetachableJoints(const Model& model, const CompiledModel& compiled)
    : entry_of_joint_(model.joints.size(), kNone) {
  for (const DetachableJoint& detachable : compiled.closures.detachable) {
    const JointModel& joint = model.joint(detachable.joint);
    const Closure& closure = compiled.closures.all[detachable.first_closure];
    Entry entry;
    entry.joint = detachable.joint;
    entry.type = joint.type;
    entry.parent = compiled.bodies[index(closure.a)];
    entry.child = compiled.bodies[index(closure.b)];
    entry.first_equality = static_cast<int>(detachable.first_closure);
    entry.equality_count = static_cast<int>(detachable.closure_count);
    // The position of a ball joint is in the child's axes, that of a hinge is about z.
    const bool hinge = joint.type == JointType::kHinge;
    entry.q_PJ = hinge ? closure.X_AE.q : model.body(joint.body).X_PB.q;
    entry.q_BJ = hinge ? closure.X_BE.q : Quat::Identity();
    std::copy(joint.initial_position.begin(), joint.initial_position.end(), entry.position.begin());
    states_.push_back({.angle = entry.position[0]});
    entry_of_joint_[index(entry.joint)] = joints_.size();
    joints_.push_back(entry);
  }
}

std::span<const double> DetachableJoints::position(JointId joint) const {
  const Entry& entry = this->entry(joint);
  return std::span(entry.position).first(position_count(entry.type));
}

std::span<const double> DetachableJoints::velocity(JointId joint) const {
  const Entry& entry = this->entry(joint);
  return std::span(entry.velocity).first(velocity_count(entry.type));
}

void DetachableJoints::switch_equalities(std::size_t i, mjModel& m) const {
  const mjtByte active = states_[i].attached ? 1 : 0;
  std::fill_n(m.eq_active + joints_[i].first_equality, joints_[i].equality_count, active);
}

void DetachableJoints::set_attached(JointId joint, bool attached, mjModel& m) {
  const std::size_t i = entry_of_joint_[index(joint)];
  states_[i].attached = attached;
  states_[i].apart = false;
  switch_equalities(i, m);
}

void DetachableJoints::add_torque(JointId joint, std::span<const double> torque, mjData& d) const {
  const Entry& entry = this->entry(joint);
  const Vec3 torque_W = calc_torque(joint, torque, d);
  vec3(d.xfrc_applied + 6 * entry.child + 3) += torque_W;
  vec3(d.xfrc_applied + 6 * entry.parent + 3) -= torque_W;
}

Vec3 DetachableJoints::calc_torque(JointId joint, std::span<const double> torque, const mjData& d) const {
  const Entry& entry = this->entry(joint);
  if (!is_attached(joint) || torque.empty()) return Vec3::Zero();
  const Vec3 torque_J =
      entry.type == JointType::kHinge ? Vec3(0.0, 0.0, torque[0]) : Vec3(torque[0], torque[1], torque[2]);
  return body_rotation(d, entry.child) * entry.q_BJ * torque_J;
}

bool DetachableJoints::joins(const Entry& entry, const mjModel& m, int body1, int body2) {
  // Welded bodies count as one, as they do for joints of the tree. Static bodies do not, or a body held by the
  // wall would fall through the floor.
  const auto is_child = [&](int body) { return m.body_weldid[body] == entry.child; };
  const auto is_parent = [&](int body) {
    const int group = m.body_weldid[entry.parent];
    return group != 0 ? m.body_weldid[body] == group : body == entry.parent && body != 0;
  };
  return (is_child(body1) && is_parent(body2)) || (is_child(body2) && is_parent(body1));
}

void DetachableJoints::filter_contacts(const mjModel& m, mjData& d, bool watch) {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Entry& entry = joints_[j];
    if (states_[j].apart) continue;
    int kept = 0;
    for (int i = 0; i < d.ncon; ++i) {
      const mjContact& contact = d.contact[i];
      if (joins(entry, m, m.geom_bodyid[contact.geom1], m.geom_bodyid[contact.geom2])) continue;
      if (kept != i) d.contact[kept] = contact;
      ++kept;
    }
    if (watch && !states_[j].attached && kept == d.ncon) states_[j].apart = true;
    d.ncon = kept;
  }
}

void DetachableJoints::update(const mjModel& m, const mjData& d) {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    Entry& entry = joints_[i];
    if (entry.type == JointType::kFixed) continue;
    const Quat q_WJ = body_rotation(d, entry.child) * entry.q_BJ;
    const Quat turn = (body_rotation(d, entry.parent) * entry.q_PJ).conjugate() * q_WJ;
    const Vec3 velocity_J =
        q_WJ.conjugate() * (angular_velocity(m, d, entry.child) - angular_velocity(m, d, entry.parent));
    if (entry.type == JointType::kHinge) {
      states_[i].angle = unwrap(2.0 * std::atan2(turn.z(), turn.w()), states_[i].angle);
      entry.position[0] = states_[i].angle;
      entry.velocity[0] = velocity_J.z();
    } else {
      entry.position = {turn.w(), turn.x(), turn.y(), turn.z()};
      vec3(entry.velocity.data()) = velocity_J;
    }
  }
}

void DetachableJoints::set_states(const std::vector<State>& states, mjModel& m) {
  states_ = states;
  for (std::size_t i = 0; i < joints_.size(); ++i) switch_equalities(i, m);
}

}  // namespace lockstep
