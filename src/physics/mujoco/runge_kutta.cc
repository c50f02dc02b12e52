#include "physics/mujoco/runge_kutta.h"

#include "physics/mujoco/eigen_view.h"

namespace lockstep {

RungeKutta4::RungeKutta4(const mjModel& m, bool corrects_rotations) : nq_(m.nq), nv_(m.nv) {
  if (m.opt.integrator != mjINT_RK4) return;
  for (int joint = 0; joint < m.njnt && corrects_rotations; ++joint) {
    if (m.jnt_type[joint] == mjJNT_FREE) rotation_dofs_.push_back(m.jnt_dofadr[joint] + 3);
    if (m.jnt_type[joint] == mjJNT_BALL) rotation_dofs_.push_back(m.jnt_dofadr[joint]);
  }
  const auto nv = static_cast<std::size_t>(nv_);
  start_qpos_.resize(static_cast<std::size_t>(nq_));
  for (std::size_t i = 0; i < kStages; ++i) {
    velocity_[i].resize(nv);
    acceleration_[i].resize(nv);
  }
  mean_velocity_.resize(nv);
  mean_acceleration_.resize(nv);
}

void RungeKutta4::begin(const mjData& d) {
  mju_copy(start_qpos_.data(), d.qpos, nq_);
  keep_slopes(d, 0);
}

void RungeKutta4::keep_slopes(const mjData& d, std::size_t stage) {
  mju_copy(velocity_[stage].data(), d.qvel, nv_);
  mju_copy(acceleration_[stage].data(), d.qacc, nv_);
}

void RungeKutta4::correct_rotations(double timestep, std::size_t stage) {
  for (const int dof : rotation_dofs_) {
    const Vec3 s = timestep * vec3(mean_velocity_.data() + dof);
    auto w = vec3(velocity_[stage].data() + dof);
    const Vec3 across = s.cross(w);
    w += 0.5 * across + s.cross(across) / 12.0;
  }
}

void RungeKutta4::move_to_stage(const mjModel& m, mjData& d, std::size_t stage) {
  mju_zero(mean_velocity_.data(), nv_);
  mju_zero(mean_acceleration_.data(), nv_);
  mju_addToScl(mean_velocity_.data(), velocity_[stage - 1].data(), kReach[stage], nv_);
  mju_addToScl(mean_acceleration_.data(), acceleration_[stage - 1].data(), kReach[stage], nv_);
  mju_copy(d.qpos, start_qpos_.data(), nq_);
  mju_copy(d.qvel, velocity_[0].data(), nv_);
  mj_integratePos(&m, d.qpos, mean_velocity_.data(), m.opt.timestep);
  mju_addToScl(d.qvel, mean_acceleration_.data(), m.opt.timestep, nv_);
}

void RungeKutta4::finish(const mjModel& m, mjData& d) {
  mju_zero(mean_velocity_.data(), nv_);
  mju_zero(mean_acceleration_.data(), nv_);
  for (std::size_t i = 0; i < kStages; ++i) {
    mju_addToScl(mean_velocity_.data(), velocity_[i].data(), kWeight[i], nv_);
    mju_addToScl(mean_acceleration_.data(), acceleration_[i].data(), kWeight[i], nv_);
  }
  mju_copy(d.qpos, start_qpos_.data(), nq_);
  mju_copy(d.qvel, velocity_[0].data(), nv_);
  mju_addToScl(d.qvel, mean_acceleration_.data(), m.opt.timestep, nv_);
  mj_integratePos(&m, d.qpos, mean_velocity_.data(), m.opt.timestep);
}

}  // namespace lockstep
