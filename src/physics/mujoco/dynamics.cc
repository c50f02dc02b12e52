#include "physics/mujoco/dynamics.h"

#include <algorithm>

#include "physics/mujoco/phantom_contacts.h"

namespace lockstep {

Dynamics::Dynamics(MujocoInstance& instance)
    : instance_(instance),
      qpos_(static_cast<std::size_t>(instance.m->nq)),
      near_shapes_(*instance.m),
      has_box_pairs_(!instance.compiled.rules.is_plain() && has_box_pairs(*instance.m)) {
  fit_capacity();
}

void Dynamics::update_instant() {
  update_positions();
  update_velocities();
}

void Dynamics::update_positions() {
  std::copy_n(instance_.d->qpos, instance_.m->nq, qpos_.begin());
  run_position_stage(true);
}

void Dynamics::update_velocities() {
  run_velocity_stage();
  if (!instance_.detachable.empty()) instance_.detachable.update(*instance_.m, *instance_.d);
  if (!instance_.moved_bases.empty()) instance_.moved_bases.update(*instance_.m, *instance_.d);
}

void Dynamics::restore_positions() {
  std::copy(qpos_.begin(), qpos_.end(), instance_.d->qpos);
}

void Dynamics::run_position_stage(bool at_an_instant) {
  mjModel* m = instance_.m;
  mjData* d = instance_.d;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  if (m->ntendon > 0) mj_tendon(m, d);
  if (m->nu > 0) {
    drop_damping_of_slack_ropes();
    mj_transmission(m, d);
  }
  mj_crb(m, d);
  mj_factorM(m, d);
  if (near_shapes_.any(*m, *d)) {
    mj_collision(m, d);
  } else {
    d->ncon = 0;
  }
  if (has_box_pairs_) drop_phantom_contacts(*m, *d);
  if (!instance_.detachable.empty()) instance_.detachable.filter_contacts(*m, *d, at_an_instant);
  if (instance_.compiled.rules.differ_from_geoms()) instance_.compiled.rules.apply(*m, *d);
  make_constraints();
}

void Dynamics::run_velocity_stage() {
  mj_fwdVelocity(instance_.m, instance_.d);
  instance_.compiled.rules.level_sliding(*instance_.d);
}

void Dynamics::make_constraints() {
  mj_makeConstraint(instance_.m, instance_.d);
  instance_.compiled.rules.stiffen_friction(*instance_.m, *instance_.d);
  mj_projectConstraint(instance_.m, instance_.d);
}

void Dynamics::calc_acceleration() {
  if (instance_.m->nu > 0) mj_fwdActuation(instance_.m, instance_.d);
  mj_fwdAcceleration(instance_.m, instance_.d);
  solve_constraints();
  // Lowering one contact may let another one separate.
  for (int i = 0; i < 5 && may_solve_again(); ++i) {
    mj_mulJacVec(instance_.m, instance_.d, row_acceleration_.data(), instance_.d->qacc);
    if (!instance_.compiled.rules.limit_separation(*instance_.m, *instance_.d, row_acceleration_.data())) break;
    solve_constraints();
  }
}

void Dynamics::solve_constraints() {
  if (!instance_.driven.empty()) instance_.driven.begin_relative(*instance_.m, *instance_.d);
  mj_fwdConstraint(instance_.m, instance_.d);
  if (!instance_.driven.empty()) instance_.driven.finish_relative(*instance_.d);
}

bool Dynamics::may_solve_again() const {
  return instance_.compiled.rules.any_impacts() &&
         instance_.compiled.rules.may_separate_too_fast(*instance_.m, *instance_.d);
}

void Dynamics::drop_damping_of_slack_ropes() {
  for (std::size_t i = 0; i < instance_.compiled.ropes.size(); ++i) {
    const SpringModel& rope = instance_.model.springs[instance_.compiled.ropes[i]];
    const bool taut = instance_.d->ten_length[instance_.m->actuator_trnid[2 * i]] > rope.length;
    instance_.m->actuator_biasprm[mjNBIAS * i + 2] = taut ? -rope.damping : 0.0;
  }
}

}  // namespace lockstep
