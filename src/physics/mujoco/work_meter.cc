#include "physics/mujoco/work_meter.h"

#include <algorithm>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {
namespace {

/// Limits of a saved state.
constexpr std::uint64_t kMaxSources = 1 << 20;
constexpr std::uint64_t kMaxForces = 1 << 20;

}  // namespace

WorkMeter::WorkMeter(const MujocoInstance& instance)
    : instance_(instance),
      by_source_(1, 0.0),
      start_(static_cast<std::size_t>(instance.m->nv)),
      mean_(static_cast<std::size_t>(instance.m->nv)) {
  const mjModel& m = *instance.m;
  for (int dof = 0; dof < m.nv; ++dof) {
    if (m.dof_damping[dof] > 0.0) damped_dofs_.push_back(dof);
    if (m.dof_frictionloss[dof] > 0.0) rough_dofs_.push_back(dof);
  }
  for (int tendon = 0; tendon < m.ntendon; ++tendon) {
    if (m.tendon_damping[tendon] > 0.0) damped_tendons_.push_back(tendon);
  }
  for (auto* forces : {&damping_, &friction_, &constraint_}) forces->resize(start_.size());
  // Enough for air and water on every shape and several actuators at every joint, so that steps do not allocate.
  forces_.reserve(2 * instance.model.shapes.size() + 4 * instance.model.joints.size() + 16);
  tendon_damping_.resize(damped_tendons_.size());
  rope_damping_.resize(static_cast<std::size_t>(m.nu));
}

void WorkMeter::set_source(std::size_t source) {
  source_ = source;
  if (source >= by_source_.size()) by_source_.resize(source + 1, 0.0);
}

void WorkMeter::add_joint_force(JointId joint, std::span<const double> force) {
  Force& added = forces_.emplace_back();
  added.source = source_;
  added.kind = Kind::kJoint;
  added.joint = joint;
  std::copy(force.begin(), force.end(), added.joint_force.begin());
}

void WorkMeter::add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench) {
  const int id = instance_.compiled.bodies[index(body)];
  Force& added = forces_.emplace_back();
  added.source = source_;
  added.body = body;
  added.point_B = mat3(instance_.d->xmat + 9 * id).transpose() * (point_W - vec3(instance_.d->xpos + 3 * id));
  added.wrench = wrench;
}

void WorkMeter::add_damping(Kind kind, int damped, double damping) {
  Force& added = forces_.emplace_back();
  added.source = source_;
  added.kind = kind;
  added.damped = damped;
  added.damping = damping;
}

void WorkMeter::add_change(double energy) {
  by_source_[source_] += energy;
}

double WorkMeter::calc_power(const Force& force) const {
  if (force.kind == Kind::kDof || force.kind == Kind::kTendon) return 0.0;
  if (force.kind == Kind::kJoint) {
    const std::span<const double> velocity = instance_.joints[index(force.joint)].velocity;
    double power = 0.0;
    for (std::size_t i = 0; i < velocity.size(); ++i) power += force.joint_force[i] * velocity[i];
    return power;
  }
  const int id = instance_.compiled.bodies[index(force.body)];
  const Vec3 point_W = vec3(instance_.d->xpos + 3 * id) + mat3(instance_.d->xmat + 9 * id) * force.point_B;
  const Twist velocity = calc_point_velocity(*instance_.m, *instance_.d, id, point_W.data());
  return force.wrench.force.dot(velocity.linear) + force.wrench.torque.dot(velocity.angular);
}

void WorkMeter::set_powers() {
  for (Force& force : forces_) force.power = calc_power(force);
}

void WorkMeter::begin_step() {
  step_ = {};
  for (Force& force : forces_) force.work = 0.0;
  set_powers();
}

void WorkMeter::add_impact(double energy) {
  step_.contacts += energy;
  set_powers();
}

void WorkMeter::begin_substep() {
  std::copy_n(instance_.d->qvel, start_.size(), start_.begin());
  for (auto* forces : {&damping_, &friction_, &constraint_, &tendon_damping_, &rope_damping_})
    std::fill(forces->begin(), forces->end(), 0.0);
}

double WorkMeter::calc_tendon_rate(int tendon, const double* velocities) const {
  const mjModel& m = *instance_.m;
  const mjData& d = *instance_.d;
  if (!mj_isSparse(&m)) return mju_dot(d.ten_J + tendon * m.nv, velocities, m.nv);
  double rate = 0.0;
  const int first = d.ten_J_rowadr[tendon];
  for (int i = first; i < first + d.ten_J_rownnz[tendon]; ++i)
    rate += d.ten_J[i] * velocities[d.ten_J_colind[i]];
  return rate;
}

double WorkMeter::calc_rope_rate(int rope, const double* velocities) const {
  return mju_dot(instance_.d->actuator_moment + rope * instance_.m->nv, velocities, instance_.m->nv);
}

void WorkMeter::add_forces(double weight, const double* damped, std::span<const double> stiff_damping) {
  const mjModel& m = *instance_.m;
  const mjData& d = *instance_.d;
  for (const int dof : damped_dofs_) {
    const auto i = static_cast<std::size_t>(dof);
    damping_[i] -= weight * m.dof_damping[dof] * damped[dof];
    if (!stiff_damping.empty()) damping_[i] -= weight * m.opt.timestep * stiff_damping[i] * d.qacc[dof];
  }
  // Tendons and ropes are implicit only with the implicit integrator.
  const double* rates = m.opt.integrator == mjINT_EULER ? start_.data() : damped;
  for (std::size_t i = 0; i < damped_tendons_.size(); ++i) {
    const int tendon = damped_tendons_[i];
    tendon_damping_[i] -= weight * m.tendon_damping[tendon] * calc_tendon_rate(tendon, rates);
  }
  for (int rope = 0; rope < m.nu; ++rope) {
    rope_damping_[static_cast<std::size_t>(rope)] +=
        weight * m.actuator_biasprm[mjNBIAS * rope + 2] * calc_rope_rate(rope, rates);
  }
  if (d.nefc == 0) return;
  for (int row = d.ne; row < d.ne + d.nf; ++row) {
    if (d.efc_type[row] == mjCNSTR_FRICTION_DOF)
      friction_[static_cast<std::size_t>(d.efc_id[row])] += weight * d.efc_force[row];
  }
  mju_addToScl(constraint_.data(), d.qfrc_constraint, weight, m.nv);
}

void WorkMeter::finish_substep(const double* after) {
  const mjModel& m = *instance_.m;
  const double h = m.opt.timestep;
  for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] = 0.5 * (start_[i] + after[i]);
  double damping = 0.0, friction = 0.0;
  for (const int dof : damped_dofs_)
    damping += damping_[static_cast<std::size_t>(dof)] * mean_[static_cast<std::size_t>(dof)];
  for (std::size_t i = 0; i < damped_tendons_.size(); ++i)
    damping += tendon_damping_[i] * calc_tendon_rate(damped_tendons_[i], mean_.data());
  for (int rope = 0; rope < m.nu; ++rope)
    damping += rope_damping_[static_cast<std::size_t>(rope)] * calc_rope_rate(rope, mean_.data());
  for (const int dof : rough_dofs_)
    friction += friction_[static_cast<std::size_t>(dof)] * mean_[static_cast<std::size_t>(dof)];
  for (Force& force : forces_) {
    if (force.kind != Kind::kDof && force.kind != Kind::kTendon) continue;
    const auto rate = [&](const double* velocities) {
      return force.kind == Kind::kDof ? velocities[force.damped] : calc_tendon_rate(force.damped, velocities);
    };
    force.work -= h * force.damping * (rate(after) - rate(start_.data())) * rate(mean_.data());
  }
  step_.damping += h * damping;
  step_.friction += h * friction;
  step_.contacts += h * (mju_dot(constraint_.data(), mean_.data(), m.nv) - friction);
}

void WorkMeter::finish_step() {
  const double h = instance_.m->opt.timestep;
  for (const Force& force : forces_)
    by_source_[force.source] += 0.5 * h * (force.power + calc_power(force)) + force.work;
  forces_.clear();
  total_.damping += step_.damping;
  total_.friction += step_.friction;
  total_.contacts += step_.contacts;
}

Work WorkMeter::total() const {
  return {.by_source = by_source_,
          .damping = total_.damping,
          .friction = total_.friction,
          .contacts = total_.contacts};
}

void WorkMeter::write(StateWriter& writer) const {
  writer.write(std::span<const double>(by_source_));
  for (const double loss : {total_.damping, total_.friction, total_.contacts}) writer.write(loss);
  writer.write(static_cast<std::uint64_t>(forces_.size()));
  for (const Force& force : forces_) {
    writer.write(static_cast<std::uint64_t>(force.source));
    const bool is_damping = force.kind == Kind::kDof || force.kind == Kind::kTendon;
    writer.write(static_cast<std::uint8_t>(force.kind));
    writer.write(static_cast<std::uint64_t>(is_damping ? static_cast<std::size_t>(force.damped)
                                            : force.kind == Kind::kJoint ? index(force.joint)
                                                                         : index(force.body)));
    if (is_damping) {
      writer.write(force.damping);
    } else if (force.kind == Kind::kJoint) {
      writer.write(std::span<const double>(force.joint_force));
    } else {
      for (const Vec3* vector : {&force.point_B, &force.wrench.force, &force.wrench.torque})
        writer.write(std::span<const double>(vector->data(), 3));
    }
  }
}

WorkMeter::State WorkMeter::read(StateReader& reader) const {
  State state;
  state.by_source = reader.read_vector<double>(kMaxSources);
  if (state.by_source.empty()) throw StateError("there is no source of forces");
  for (double* loss : {&state.total.damping, &state.total.friction, &state.total.contacts})
    *loss = reader.read<double>();
  const auto count = reader.read<std::uint64_t>();
  if (count > kMaxForces) throw StateError("there are too many forces");
  for (std::uint64_t i = 0; i < count; ++i) {
    Force& force = state.forces.emplace_back();
    force.source = reader.read<std::uint64_t>();
    const auto kind = reader.read<std::uint8_t>();
    const auto subject = reader.read<std::uint64_t>();
    const std::array<std::size_t, 4> limits = {instance_.model.bodies.size(), instance_.model.joints.size(),
                                               static_cast<std::size_t>(instance_.m->nv),
                                               static_cast<std::size_t>(instance_.m->ntendon)};
    if (force.source >= state.by_source.size() || kind >= limits.size() || subject >= limits[kind])
      throw StateError("a force does not match the model");
    force.kind = static_cast<Kind>(kind);
    if (force.kind == Kind::kDof || force.kind == Kind::kTendon) {
      force.damped = static_cast<int>(subject);
      force.damping = reader.read<double>();
    } else if (force.kind == Kind::kJoint) {
      force.joint = JointId{static_cast<int>(subject)};
      reader.read_into(std::span<double>(force.joint_force));
    } else {
      force.body = BodyId{static_cast<int>(subject)};
      for (Vec3* vector : {&force.point_B, &force.wrench.force, &force.wrench.torque})
        reader.read_into(std::span<double>(vector->data(), 3));
    }
  }
  return state;
}

void WorkMeter::set(State state) {
  by_source_ = std::move(state.by_source);
  forces_ = std::move(state.forces);
  total_ = state.total;
  set_source(source_);
}

}  // namespace lockstep
