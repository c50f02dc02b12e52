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
  body_forces_.reserve(2 * instance.model.shapes.size() + 16);
  joint_forces_.reserve(4 * start_.size() + 16);
  dampings_.reserve(4 * start_.size() + 16);
  drive_sources_.resize(instance.driven.dofs().size());
  tendon_damping_.resize(damped_tendons_.size());
  rope_damping_.resize(static_cast<std::size_t>(m.nu));
}

void WorkMeter::add_joint_force(JointId joint, std::span<const double> force) {
  const double* velocity = instance_.joints[index(joint)].velocity.data();
  for (std::uint32_t i = 0; i < force.size(); ++i, ++velocity)
    joint_forces_.push_back({velocity, force[i], force[i] * *velocity, source_, joint, i});
}

void WorkMeter::add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench) {
  const int id = instance_.compiled.bodies[index(body)];
  BodyForce& force = body_forces_.emplace_back();
  force.source = source_;
  force.body = body;
  force.point_B = mat3(instance_.d->xmat + 9 * id).transpose() * (point_W - vec3(instance_.d->xpos + 3 * id));
  force.wrench = wrench;
  force.power = calc_power(force);
}

void WorkMeter::add_drive(JointId joint) {
  const std::span<const DrivenDof> driven = instance_.driven.dofs();
  for (std::size_t i = 0; i < driven.size(); ++i) {
    if (driven[i].joint == joint) drive_sources_[i] = source_;
  }
}

void WorkMeter::add_change(double energy) {
  by_source_[source_] += energy;
  update_powers();
}

void WorkMeter::drop_forces() {
  joint_forces_.clear();
  body_forces_.clear();
  dampings_.clear();
}

double WorkMeter::calc_power(const BodyForce& force) const {
  const int id = instance_.compiled.bodies[index(force.body)];
  const Vec3 point_W = vec3(instance_.d->xpos + 3 * id) + mat3(instance_.d->xmat + 9 * id) * force.point_B;
  const Twist velocity = calc_point_velocity(*instance_.m, *instance_.d, id, point_W.data());
  return force.wrench.force.dot(velocity.linear) + force.wrench.torque.dot(velocity.angular);
}

void WorkMeter::update_powers() {
  for (JointForce& force : joint_forces_) {
    force.velocity = &instance_.joints[index(force.joint)].velocity[force.component];
    force.power = calc_power(force);
  }
  for (BodyForce& force : body_forces_) force.power = calc_power(force);
}

void WorkMeter::add_impact(double energy) {
  step_.contacts += energy;
  update_powers();
}

void WorkMeter::add_substep(const double* before, const double* damped, const double* after) {
  const mjModel& m = *instance_.m;
  const mjData& d = *instance_.d;
  const double h = m.opt.timestep;
  const auto mean = [&](int dof) { return 0.5 * (before[dof] + after[dof]); };
  double damping = 0.0;
  for (const int dof : damped_dofs_) damping -= m.dof_damping[dof] * damped[dof] * mean(dof);
  // Tendons and ropes are implicit only with the implicit integrator.
  const double* rates = m.opt.integrator == mjINT_EULER ? before : damped;
  for (const int tendon : damped_tendons_) {
    const double rate = 0.5 * (calc_tendon_rate(tendon, before) + calc_tendon_rate(tendon, after));
    damping -= m.tendon_damping[tendon] * calc_tendon_rate(tendon, rates) * rate;
  }
  for (int rope = 0; rope < m.nu; ++rope) {
    const double rate = 0.5 * (calc_rope_rate(rope, before) + calc_rope_rate(rope, after));
    damping += m.actuator_biasprm[mjNBIAS * rope + 2] * calc_rope_rate(rope, rates) * rate;
  }
  step_.damping += h * damping;
  for (ActuatorDamping& each : dampings_) {
    const auto rate = [&](const double* velocities) {
      return each.on_tendon ? calc_tendon_rate(each.id, velocities) : velocities[each.id];
    };
    const double start = rate(before), end = rate(after);
    each.work -= 0.5 * h * each.damping * (end - start) * (end + start);
  }
  if (d.nefc == 0) return;
  double friction = 0.0, constraints = 0.0;
  for (int row = d.ne; row < d.ne + d.nf; ++row) {
    if (d.efc_type[row] == mjCNSTR_FRICTION_DOF) friction += d.efc_force[row] * mean(d.efc_id[row]);
  }
  for (int dof = 0; dof < m.nv; ++dof) constraints += d.qfrc_constraint[dof] * mean(dof);
  step_.friction += h * friction;
  step_.contacts += h * (constraints - friction);
}

void WorkMeter::begin_stages() {
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

void WorkMeter::add_stage(double weight, std::span<const double> stiff_damping) {
  const mjModel& m = *instance_.m;
  const mjData& d = *instance_.d;
  for (const int dof : damped_dofs_) {
    const auto i = static_cast<std::size_t>(dof);
    damping_[i] -= weight * m.dof_damping[dof] * d.qvel[dof];
    if (!stiff_damping.empty()) damping_[i] -= weight * m.opt.timestep * stiff_damping[i] * d.qacc[dof];
  }
  for (std::size_t i = 0; i < damped_tendons_.size(); ++i) {
    const int tendon = damped_tendons_[i];
    tendon_damping_[i] -= weight * m.tendon_damping[tendon] * calc_tendon_rate(tendon, d.qvel);
  }
  for (int rope = 0; rope < m.nu; ++rope) {
    rope_damping_[static_cast<std::size_t>(rope)] +=
        weight * m.actuator_biasprm[mjNBIAS * rope + 2] * calc_rope_rate(rope, d.qvel);
  }
  if (d.nefc == 0) return;
  for (int row = d.ne; row < d.ne + d.nf; ++row) {
    if (d.efc_type[row] == mjCNSTR_FRICTION_DOF)
      friction_[static_cast<std::size_t>(d.efc_id[row])] += weight * d.efc_force[row];
  }
  mju_addToScl(constraint_.data(), d.qfrc_constraint, weight, m.nv);
}

void WorkMeter::finish_stages(const double* after) {
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
  step_.damping += h * damping;
  step_.friction += h * friction;
  step_.contacts += h * (mju_dot(constraint_.data(), mean_.data(), m.nv) - friction);
}

void WorkMeter::finish_step() {
  const double h = instance_.m->opt.timestep;
  const auto add = [&](const auto& force) {
    by_source_[force.source] += 0.5 * h * (force.power + calc_power(force));
  };
  for (const JointForce& force : joint_forces_) add(force);
  for (const BodyForce& force : body_forces_) add(force);
  for (const ActuatorDamping& damping : dampings_) by_source_[damping.source] += damping.work;
  drop_forces();
  const std::span<const double> drives = instance_.driven.step_work();
  for (std::size_t i = 0; i < drives.size(); ++i) by_source_[drive_sources_[i]] += drives[i];
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
  writer.write(static_cast<std::uint64_t>(joint_forces_.size()));
  for (const JointForce& force : joint_forces_) {
    for (const std::uint32_t number :
         {force.source, static_cast<std::uint32_t>(index(force.joint)), force.component})
      writer.write(number);
    writer.write(force.force);
  }
  writer.write(static_cast<std::uint64_t>(body_forces_.size()));
  for (const BodyForce& force : body_forces_) {
    for (const std::uint32_t number : {force.source, static_cast<std::uint32_t>(index(force.body))})
      writer.write(number);
    for (const Vec3* vector : {&force.point_B, &force.wrench.force, &force.wrench.torque})
      writer.write(std::span<const double>(vector->data(), 3));
  }
  writer.write(static_cast<std::uint64_t>(dampings_.size()));
  for (const ActuatorDamping& damping : dampings_) {
    writer.write(damping.source);
    writer.write(damping.on_tendon);
    writer.write(static_cast<std::uint32_t>(damping.id));
    writer.write(damping.damping);
  }
  for (const std::uint32_t source : drive_sources_) writer.write(source);
}

WorkMeter::State WorkMeter::read(StateReader& reader) const {
  State state;
  state.by_source = reader.read_vector<double>(kMaxSources);
  if (state.by_source.empty()) throw StateError("there is no source of forces");
  for (double* loss : {&state.total.damping, &state.total.friction, &state.total.contacts})
    *loss = reader.read<double>();
  const auto read_count = [&] {
    const auto count = reader.read<std::uint64_t>();
    if (count > kMaxForces) throw StateError("there are too many forces");
    return count;
  };
  const auto read_below = [&](std::size_t limit) {
    const auto number = reader.read<std::uint32_t>();
    if (number >= limit) throw StateError("a force does not match the model");
    return number;
  };
  for (std::uint64_t left = read_count(); left > 0; --left) {
    JointForce& force = state.joint_forces.emplace_back();
    force.source = read_below(state.by_source.size());
    force.joint = JointId{static_cast<int>(read_below(instance_.joints.size()))};
    force.component = read_below(instance_.joints[index(force.joint)].velocity.size());
    force.force = reader.read<double>();
  }
  for (std::uint64_t left = read_count(); left > 0; --left) {
    BodyForce& force = state.body_forces.emplace_back();
    force.source = read_below(state.by_source.size());
    force.body = BodyId{static_cast<int>(read_below(instance_.model.bodies.size()))};
    for (Vec3* vector : {&force.point_B, &force.wrench.force, &force.wrench.torque})
      reader.read_into(std::span<double>(vector->data(), 3));
  }
  for (std::uint64_t left = read_count(); left > 0; --left) {
    ActuatorDamping& damping = state.dampings.emplace_back();
    damping.source = read_below(state.by_source.size());
    damping.on_tendon = reader.read<bool>();
    damping.id = static_cast<int>(
        read_below(static_cast<std::size_t>(damping.on_tendon ? instance_.m->ntendon : instance_.m->nv)));
    damping.damping = reader.read<double>();
  }
  for (std::size_t i = 0; i < drive_sources_.size(); ++i)
    state.drive_sources.push_back(read_below(state.by_source.size()));
  return state;
}

void WorkMeter::set(State state) {
  by_source_ = std::move(state.by_source);
  joint_forces_ = std::move(state.joint_forces);
  body_forces_ = std::move(state.body_forces);
  dampings_ = std::move(state.dampings);
  drive_sources_ = std::move(state.drive_sources);
  total_ = state.total;
  set_source(source_);
  update_powers();
}

}  // namespace lockstep
