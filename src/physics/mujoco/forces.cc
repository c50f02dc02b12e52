#include "physics/mujoco/forces.h"

#include <algorithm>
#include <cmath>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {

namespace {

/// What a saved state has beside the forces on joints.
constexpr std::uint8_t kOnBodies = 1, kDamped = 2;

}  // namespace

AppliedForces::AppliedForces(MujocoInstance& instance)
    : instance_(instance),
      next_(instance.force_count, 0.0),
      last_(instance.force_count, 0.0),
      damping_(static_cast<std::size_t>(instance.m->nv + instance.m->ntendon), 0.0) {}

void AppliedForces::add_to_joint(JointId joint, std::span<const double> force) {
  const JointPlace& place = instance_.joints[index(joint)];
  LOCKSTEP_CHECK(force.size() == place.force_count);
  has_any_ = true;
  double* sum = next_.data() + place.force_offset;
  for (std::size_t i = 0; i < force.size(); ++i) {
    sum[i] += force[i];
    if (place.applied) place.applied[i] += force[i];
    if (!std::isfinite(force[i]) && invalid_.empty()) invalid_ = instance_.model.joint(joint).name;
  }
  if (place.detachable) {
    has_any_on_bodies_ = true;
    instance_.detachable.add_torque(joint, force, *instance_.d);
  }
  if (place.is_moved_base) {
    const BodyId body = instance_.model.joint(joint).body;
    const int id = instance_.compiled.bodies[index(body)];
    const Vec3 torque = quat(instance_.d->xquat + 4 * id) * vec3(force.data() + 3);
    add_to_body(body, vec3(instance_.d->xpos + 3 * id), {vec3(force.data()), torque});
  }
}

void AppliedForces::add_motion(JointId joint, const JointMotion& end) {
  LOCKSTEP_CHECK(instance_.model.joint(joint).driven);
  instance_.driven.set_target(joint, end);
  if (!(std::isfinite(end.position) && std::isfinite(end.velocity)) && invalid_.empty())
    invalid_ = instance_.model.joint(joint).name;
}

void AppliedForces::take_drive_forces() {
  const std::span<const double> forces = instance_.driven.step_forces();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    has_any_ = true;
    next_[instance_.joints[index(instance_.driven.dofs()[i].joint)].force_offset] += forces[i];
  }
}

void AppliedForces::add_to_body(BodyId body, const Vec3& point_W, const Wrench& wrench) {
  has_any_ = has_any_on_bodies_ = true;
  const int id = instance_.compiled.bodies[index(body)];
  const Vec3 torque = wrench.torque + (point_W - vec3(instance_.d->xipos + 3 * id)).cross(wrench.force);
  vec3(instance_.d->xfrc_applied + 6 * id) += wrench.force;
  vec3(instance_.d->xfrc_applied + 6 * id + 3) += torque;
  if (!(wrench.force.allFinite() && torque.allFinite()) && invalid_.empty())
    invalid_ = instance_.model.body(body).name;
}

std::span<const double> AppliedForces::next_of(JointId joint) const {
  const JointPlace& place = instance_.joints[index(joint)];
  return {next_.data() + place.force_offset, place.force_count};
}

std::span<const double> AppliedForces::last_of(JointId joint) const {
  const JointPlace& place = instance_.joints[index(joint)];
  return {last_.data() + place.force_offset, place.force_count};
}

void AppliedForces::finish_step() {
  if (!has_any_ && !had_any_) return;
  had_any_ = has_any_;
  last_.swap(next_);
  clear();
}

void AppliedForces::clear() {
  std::fill_n(instance_.d->qfrc_applied, instance_.m->nv, 0.0);
  if (has_any_on_bodies_) std::fill_n(instance_.d->xfrc_applied, 6 * instance_.m->nbody, 0.0);
  std::fill(next_.begin(), next_.end(), 0.0);
  if (is_damped_) std::fill(damping_.begin(), damping_.end(), 0.0);
  has_any_ = has_any_on_bodies_ = is_damped_ = false;
  invalid_.clear();
}

void AppliedForces::forget_last() {
  std::fill(last_.begin(), last_.end(), 0.0);
  had_any_ = false;
}

AppliedForces::Values AppliedForces::make_values() const {
  Values values;
  values.on_dofs.resize(static_cast<std::size_t>(instance_.m->nv));
  values.on_bodies.resize(6 * static_cast<std::size_t>(instance_.m->nbody));
  values.by_joint.resize(next_.size());
  values.damping.resize(damping_.size());
  return values;
}

void AppliedForces::copy_to(Values& values) const {
  values.any = has_any_;
  if (!has_any_) return;
  std::copy_n(instance_.d->qfrc_applied, instance_.m->nv, values.on_dofs.begin());
  values.any_on_bodies = has_any_on_bodies_;
  if (has_any_on_bodies_)
    std::copy_n(instance_.d->xfrc_applied, 6 * instance_.m->nbody, values.on_bodies.begin());
  std::copy(next_.begin(), next_.end(), values.by_joint.begin());
  values.is_damped = is_damped_;
  if (is_damped_) std::copy(damping_.begin(), damping_.end(), values.damping.begin());
}

void AppliedForces::set(const Values& values) {
  if (!values.any) return;
  has_any_ = true;
  has_any_on_bodies_ = values.any_on_bodies;
  std::copy(values.on_dofs.begin(), values.on_dofs.end(), instance_.d->qfrc_applied);
  if (values.any_on_bodies)
    std::copy(values.on_bodies.begin(), values.on_bodies.end(), instance_.d->xfrc_applied);
  next_ = values.by_joint;
  is_damped_ = values.is_damped;
  if (is_damped_) damping_ = values.damping;
}

void AppliedForces::write(StateWriter& writer) const {
  const auto dofs = static_cast<std::size_t>(instance_.m->nv);
  const auto bodies = static_cast<std::size_t>(instance_.m->nbody);
  write(View{.any = has_any_,
             .any_on_bodies = has_any_on_bodies_,
             .on_dofs = {instance_.d->qfrc_applied, dofs},
             .on_bodies = {instance_.d->xfrc_applied, 6 * bodies},
             .by_joint = next_,
             .damping = damping()},
        writer);
}

void AppliedForces::write(const Values& values, StateWriter& writer) {
  write(View{.any = values.any,
             .any_on_bodies = values.any_on_bodies,
             .on_dofs = values.on_dofs,
             .on_bodies = values.on_bodies,
             .by_joint = values.by_joint,
             .damping = values.is_damped ? std::span<const double>(values.damping) : std::span<const double>()},
        writer);
}

void AppliedForces::write(const View& view, StateWriter& writer) {
  writer.write(view.any);
  if (!view.any) return;
  writer.write(view.on_dofs);
  const bool is_damped = !view.damping.empty();
  writer.write(static_cast<std::uint8_t>((view.any_on_bodies ? kOnBodies : 0) | (is_damped ? kDamped : 0)));
  if (view.any_on_bodies) writer.write(view.on_bodies);
  writer.write(view.by_joint);
  if (is_damped) writer.write(view.damping);
}

AppliedForces::Values AppliedForces::read(StateReader& reader) const {
  Values values;
  values.any = reader.read<bool>();
  if (!values.any) return values;
  values = make_values();
  values.any = true;
  // NaN is allowed here; step() reports it.
  reader.read_into(std::span(values.on_dofs));
  const auto more = reader.read<std::uint8_t>();
  values.any_on_bodies = (more & kOnBodies) != 0;
  values.is_damped = (more & kDamped) != 0;
  if (values.any_on_bodies) reader.read_into(std::span(values.on_bodies));
  reader.read_into(std::span(values.by_joint));
  if (values.is_damped) reader.read_into(std::span(values.damping));
  return values;
}

}  // namespace lockstep
