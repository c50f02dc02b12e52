#include "physics/mujoco/joint_reactions.h"

#include <algorithm>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {
namespace {

/// A wrench at a point, expressed about the world origin.
Wrench about_origin(const Vec3& point, const Vec3& force, const Vec3& torque) {
  return {force, torque + point.cross(force)};
}

void add(Wrench& sum, const Wrench& wrench, double factor) {
  sum.force += factor * wrench.force;
  sum.torque += factor * wrench.torque;
}

Pose body_pose(const mjData& d, int body) {
  return {vec3(d.xpos + 3 * body), quat(d.xquat + 4 * body)};
}

/// The torque on the first body from the three rotation rows of a weld. Their error is the vector part of
/// e = q2^-1 q1 r, whose rate under a relative angular velocity w is half that of (R2^T w) e.
Vec3 weld_torque(const mjModel& m, const mjData& d, int equality, const Vec3& force) {
  const Quat q1 = quat(d.xquat + 4 * m.eq_obj1id[equality]);
  const Quat q2 = quat(d.xquat + 4 * m.eq_obj2id[equality]);
  const Quat error = q2.conjugate() * q1 * quat(m.eq_data + mjNEQDATA * equality + 6);
  return q2 * Vec3(0.5 * (error.w() * force + error.vec().cross(force)));
}

}  // namespace

JointReactions::JointReactions(const Model& model, const CompiledModel& compiled)
    : model_(model),
      compiled_(compiled),
      rope_of_spring_(model.springs.size(), -1),
      closures_(compiled.closures.all.size()),
      carried_(model.bodies.size()) {
  for (std::size_t i = 0; i < compiled.ropes.size(); ++i)
    rope_of_spring_[compiled.ropes[i]] = static_cast<int>(i);
}

void JointReactions::begin() {
  std::fill(closures_.begin(), closures_.end(), Wrench{});
}

void JointReactions::add_closures(const mjModel& m, const mjData& d, double fraction) {
  for (int row = 0; row < d.ne;) {
    const int equality = d.efc_id[row];
    const auto i = static_cast<std::size_t>(equality);
    // Couplings follow; their effect on a joint is part of its reaction.
    if (i >= closures_.size()) break;
    const Closure& closure = compiled_.closures.all[i];
    const bool frame = closure.kind == ClosureKind::kFrame;
    // The rows are the position of the first body minus the second, so a force on the first is positive.
    const Vec3 point = body_pose(d, m.eq_obj2id[equality]) * closure.X_BE.p;
    const Vec3 torque = frame ? weld_torque(m, d, equality, vec3(d.efc_force + row + 3)) : Vec3(Vec3::Zero());
    add(closures_[i], about_origin(point, vec3(d.efc_force + row), torque), -fraction);
    row += frame ? 6 : 3;
  }
}

Wrench JointReactions::calc_change_of_momentum(const mjModel& m, const mjData& d, int body,
                                               const BodyAcceleration& acceleration) const {
  // Of `d`, like positions and orientations: after substeps it is not that of the start of the step.
  const Vec3 w = vec3(d.cvel + 6 * body);
  const Vec3 center = vec3(d.xipos + 3 * body);
  const Vec3 r = center - vec3(d.xpos + 3 * body);
  const auto R = mat3(d.ximat + 9 * body);
  const auto turn_by_inertia = [&](const Vec3& v) {
    return Vec3(R * vec3(m.body_inertia + 3 * body).cwiseProduct(R.transpose() * v));
  };
  const Vec3 of_center = acceleration.linear + acceleration.angular.cross(r) + w.cross(w.cross(r));
  return about_origin(center, m.body_mass[body] * (of_center - model_.gravity),
                      turn_by_inertia(acceleration.angular) + w.cross(turn_by_inertia(w)));
}

double JointReactions::calc_spring_force(const mjData& d, std::size_t spring) const {
  if (rope_of_spring_[spring] >= 0) return d.actuator_force[rope_of_spring_[spring]];
  const SpringModel& model = model_.springs[spring];
  return model.stiffness * (model.length - d.ten_length[spring]) - model.damping * d.ten_velocity[spring];
}

void JointReactions::subtract(BodyId a, BodyId b, const Wrench& on_b) {
  add(carried_[index(a)], on_b, 1.0);
  add(carried_[index(b)], on_b, -1.0);
}

void JointReactions::calc(const mjModel& m, const mjData& d, std::span<const BodyAcceleration> accelerations,
                          std::span<const ContactPoint> contacts, std::span<Wrench> reactions) {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const int body = compiled_.bodies[i];
    carried_[i] = calc_change_of_momentum(m, d, body, accelerations[i]);
    const double* applied = d.xfrc_applied + 6 * body;
    add(carried_[i], about_origin(vec3(d.xipos + 3 * body), vec3(applied), vec3(applied + 3)), -1.0);
  }
  for (const ContactPoint& contact : contacts) {
    subtract(model_.shapes[index(contact.a)].body, model_.shapes[index(contact.b)].body,
             about_origin(contact.position, contact.force, contact.torque));
  }
  for (std::size_t i = 0; i < model_.springs.size(); ++i) {
    const SiteModel& a = model_.site(model_.springs[i].a);
    const SiteModel& b = model_.site(model_.springs[i].b);
    const Vec3 p_a = body_pose(d, compiled_.bodies[index(a.body)]) * a.X_BS.p;
    const Vec3 p_b = body_pose(d, compiled_.bodies[index(b.body)]) * b.X_BS.p;
    const Vec3 pushes = calc_spring_force(d, i) * (p_b - p_a).normalized();
    subtract(a.body, b.body, about_origin(p_b, pushes, Vec3::Zero()));
  }
  for (std::size_t i = 0; i < closures_.size(); ++i) {
    const Closure& closure = compiled_.closures.all[i];
    subtract(closure.a, closure.b, closures_[i]);
  }

  // Parents come before children. Detachable joints are closures, which are already subtracted.
  for (std::size_t i = model_.bodies.size() - 1; i > 0; --i) {
    const BodyModel& body = model_.bodies[i];
    if (!is_detachable(model_, body)) add(carried_[index(body.parent)], carried_[i], 1.0);
  }
  for (std::size_t i = 0; i < model_.joints.size(); ++i) {
    const JointModel& joint = model_.joints[i];
    reactions[i] = joint.detachable || joint.type == JointType::kFree ? Wrench{} : carried_[index(joint.body)];
  }
  for (const DetachableJoint& detachable : compiled_.closures.detachable) {
    for (std::size_t i = 0; i < detachable.closure_count; ++i)
      add(reactions[index(detachable.joint)], closures_[detachable.first_closure + i], 1.0);
  }
  for (std::size_t i = 0; i < model_.joints.size(); ++i) {
    const JointModel& joint = model_.joints[i];
    const Vec3 anchor = body_pose(d, compiled_.bodies[index(joint.body)]) * joint.position;
    reactions[i].torque -= anchor.cross(reactions[i].force);
  }
}

}  // namespace lockstep
