#include "physics/mujoco/driven_joints.h"

#include <algorithm>

namespace lockstep {

DrivenJoints::DrivenJoints(std::vector<DrivenDof> dofs, const mjModel& m) : dofs_(std::move(dofs)) {
  if (dofs_.empty()) return;
  targets_.resize(dofs_.size());
  for (auto* motions : {&starts_, &ends_}) motions->resize(dofs_.size());
  for (auto* numbers : {&forces_, &step_forces_, &step_work_}) numbers->resize(dofs_.size());
  for (auto* numbers : {&acceleration_, &inertial_, &smooth_, &velocity_, &momentum_})
    numbers->resize(static_cast<std::size_t>(m.nv));
  fit_capacity(m);
}

void DrivenJoints::fit_capacity(const mjModel& m) {
  if (empty()) return;
  for (auto* numbers : {&rows_, &references_}) numbers->resize(static_cast<std::size_t>(m.njmax));
}

void DrivenJoints::set_target(JointId joint, const JointMotion& end) {
  for (std::size_t i = 0; i < dofs_.size(); ++i) {
    if (dofs_[i].joint == joint) targets_[i] = {.is_given = true, .end = end};
  }
}

void DrivenJoints::clear_targets() {
  std::fill(targets_.begin(), targets_.end(), Target{});
}

void DrivenJoints::begin_step(const mjModel& m, const mjData& d) {
  step_ = m.opt.timestep;
  for (auto* numbers : {&step_forces_, &step_work_}) std::fill(numbers->begin(), numbers->end(), 0.0);
  for (std::size_t i = 0; i < dofs_.size(); ++i) {
    starts_[i] = {d.qpos[dofs_[i].coordinate], d.qvel[dofs_[i].dof]};
    ends_[i] = targets_[i].is_given ? targets_[i].end : JointMotion{.position = starts_[i].position};
  }
}

JointMotion DrivenJoints::calc_motion(std::size_t i, double s) const {
  if (s == 0.0) return starts_[i];
  if (s == 1.0) return ends_[i];
  // Of the cubic polynomial, minus its start: way = h v0 s + b s^2 + c s^3.
  const double v0 = step_ * starts_[i].velocity, v1 = step_ * ends_[i].velocity;
  const double way = ends_[i].position - starts_[i].position;
  const double b = 3.0 * way - 2.0 * v0 - v1, c = v0 + v1 - 2.0 * way;
  return {starts_[i].position + s * (v0 + s * (b + s * c)), (v0 + s * (2.0 * b + 3.0 * s * c)) / step_};
}

double DrivenJoints::calc_acceleration(std::size_t i, double s) const {
  const double v0 = step_ * starts_[i].velocity, v1 = step_ * ends_[i].velocity;
  const double way = ends_[i].position - starts_[i].position;
  const double b = 3.0 * way - 2.0 * v0 - v1, c = v0 + v1 - 2.0 * way;
  return (2.0 * b + 6.0 * c * s) / (step_ * step_);
}

void DrivenJoints::begin_substep(const mjModel& m, const mjData& d, double from, double to) {
  from_ = from;
  to_ = to;
  for (std::size_t i = 0; i < dofs_.size(); ++i) {
    const int dof = dofs_[i].dof;
    acceleration_[static_cast<std::size_t>(dof)] = (calc_motion(i, to).velocity - d.qvel[dof]) / m.opt.timestep;
  }
}

void DrivenJoints::set_stage(mjData& d, double fraction) {
  const double s = fraction == 1.0 ? to_ : from_ + fraction * (to_ - from_);
  for (std::size_t i = 0; i < dofs_.size(); ++i) {
    const JointMotion motion = calc_motion(i, s);
    d.qpos[dofs_[i].coordinate] = motion.position;
    d.qvel[dofs_[i].dof] = motion.velocity;
    acceleration_[static_cast<std::size_t>(dofs_[i].dof)] = calc_acceleration(i, s);
  }
}

void DrivenJoints::set_end(mjData& d) const {
  for (std::size_t i = 0; i < dofs_.size(); ++i) d.qpos[dofs_[i].coordinate] = calc_motion(i, to_).position;
  set_end_velocities(d);
}

void DrivenJoints::set_end_velocities(mjData& d) const {
  for (std::size_t i = 0; i < dofs_.size(); ++i) d.qvel[dofs_[i].dof] = calc_motion(i, to_).velocity;
}

void DrivenJoints::begin_relative(const mjModel& m, mjData& d) {
  // Newton and Euler without MuJoCo's armature: the ballast has no part in M a.
  mju_copy(d.qacc, acceleration_.data(), m.nv);
  mj_rne(&m, &d, 1, inertial_.data());
  mju_subFrom(inertial_.data(), d.qfrc_bias, m.nv);
  for (const DrivenDof& driven : dofs_) {
    const auto dof = static_cast<std::size_t>(driven.dof);
    inertial_[dof] += driven.armature * acceleration_[dof];
  }
  mju_copy(smooth_.data(), d.qfrc_smooth, m.nv);
  mju_subFrom(d.qfrc_smooth, inertial_.data(), m.nv);
  mj_solveM(&m, &d, d.qacc_smooth, d.qfrc_smooth, 1);
  if (d.nefc == 0) return;
  mju_copy(references_.data(), d.efc_aref, d.nefc);
  mj_mulJacVec(&m, &d, rows_.data(), acceleration_.data());
  mju_subFrom(d.efc_aref, rows_.data(), d.nefc);
}

void DrivenJoints::finish_relative(mjData& d) {
  std::copy(smooth_.begin(), smooth_.end(), d.qfrc_smooth);
  std::copy_n(references_.begin(), d.nefc, d.efc_aref);
  for (std::size_t i = 0; i < acceleration_.size(); ++i) d.qacc_smooth[i] += acceleration_[i];
  make_absolute(d.qacc);
}

void DrivenJoints::make_relative(std::span<const double> extra, double factor, double* force) const {
  if (empty()) return;
  mju_subFrom(force, inertial_.data(), static_cast<int>(inertial_.size()));
  for (const DrivenDof& driven : dofs_) {
    const auto dof = static_cast<std::size_t>(driven.dof);
    force[dof] -= factor * extra[dof] * acceleration_[dof];
  }
}

void DrivenJoints::make_absolute(double* acceleration) {
  for (std::size_t i = 0; i < dofs_.size(); ++i) {
    const auto dof = static_cast<std::size_t>(dofs_[i].dof);
    forces_[i] = -dofs_[i].ballast * acceleration[dof];
    acceleration[dof] += acceleration_[dof];
  }
}

void DrivenJoints::subtract_product(const mjModel& m, const double* v, double factor, double* force) const {
  for (int i = 0; i < m.nv && !empty(); ++i) {
    if (v[i] == 0.0) continue;
    for (int j = i; j >= 0; j = m.dof_parentid[j]) {
      const double product = factor * v[i] * v[j];
      force[i] -= product * acceleration_[static_cast<std::size_t>(j)];
      if (j != i) force[j] -= product * acceleration_[static_cast<std::size_t>(i)];
    }
  }
}

void DrivenJoints::take_forces(double weight) {
  for (std::size_t i = 0; i < dofs_.size(); ++i) {
    const double force = (to_ - from_) * weight * forces_[i];
    step_forces_[i] += force;
    step_work_[i] += 0.5 * step_ * force * (calc_motion(i, from_).velocity + calc_motion(i, to_).velocity);
  }
}

void DrivenJoints::begin_impact(const mjModel& m, const mjData& d) {
  if (!empty()) mju_copy(velocity_.data(), d.qvel, m.nv);
}

double DrivenJoints::finish_impact(const mjModel& m, mjData& d) {
  if (empty()) return 0.0;
  for (const DrivenDof& driven : dofs_) d.qvel[driven.dof] = velocity_[static_cast<std::size_t>(driven.dof)];
  for (std::size_t i = 0; i < velocity_.size(); ++i) velocity_[i] = d.qvel[i] - velocity_[i];
  mj_mulM(&m, &d, momentum_.data(), velocity_.data());
  mj_mulJacTVec(&m, &d, velocity_.data(), d.efc_force);
  double work = 0.0;
  for (std::size_t i = 0; i < dofs_.size(); ++i) {
    const auto dof = static_cast<std::size_t>(dofs_[i].dof);
    const double impulse = momentum_[dof] - m.opt.timestep * velocity_[dof];
    step_forces_[i] += impulse / step_;
    step_work_[i] += impulse * d.qvel[dof];
    work += impulse * d.qvel[dof];
  }
  return work;
}

void DrivenJoints::subtract_ballast(const double* velocity, double* momentum) const {
  for (const DrivenDof& driven : dofs_) momentum[driven.dof] -= driven.ballast * velocity[driven.dof];
}

}  // namespace lockstep
