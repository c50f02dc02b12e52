#include <algorithm>
#include <array>
#include <cmath>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/phantom_contacts.h"
#include "physics/mujoco/world.h"

namespace lockstep {
namespace {

/// Index of the first number that is none or beyond what MuJoCo takes for one; -1 if all are good.
int find_bad(const double* values, int count) {
  bool good = true;
  for (int i = 0; i < count; ++i) good &= std::abs(values[i]) <= mjMAXVAL;
  if (good) return -1;
  int i = 0;
  while (std::abs(values[i]) <= mjMAXVAL) ++i;
  return i;
}

}  // namespace

Status MujocoWorld::step() {
  Status status;
  status.step = step_count_;
  if (!invalid_force_.empty()) {
    status.outcome = Outcome::kInvalidInput;
    status.subject = invalid_force_;
    status.cause = "a force handed to it is not a finite number";
    clear_forces();
    return status;
  }
  copy_start(*start_);
  try {
    if (!advance(status)) return fail(std::move(status));
  } catch (const MujocoError& error) {
    mj_resetData(m_, d_);
    status.outcome = Outcome::kEngineFailure;
    status.cause = error.what();
    return fail(std::move(status));
  }
  ++step_count_;
  is_moved_ = false;
  std::swap(start_, last_start_);
  if (is_tracking()) std::swap(tracked_, capturing_);
  // Forces are handed over anew for each step; what was handed to joints can still be read.
  if (has_forces_ || had_forces_) {
    had_forces_ = has_forces_;
    joint_force_.swap(next_joint_force_);
    clear_forces();
  }
  return status;
}

bool MujocoWorld::advance(Status& status) {
  if (!has_room(status)) return false;
  begin_capture();
  if (compiled_.rules.any_restitution()) resolve_impacts();
  const bool implicit = m_->opt.integrator == mjINT_IMPLICIT;
  if (!(implicit ? advance_implicitly(status) : advance_explicitly(status))) return false;
  if (!state_is_good(status)) return false;
  update_instant();
  return has_room(status);
}

bool MujocoWorld::advance_explicitly(Status& status) {
  calc_acceleration();
  if (!acceleration_is_good(status)) return false;
  capture_step();
  if (m_->opt.integrator == mjINT_EULER) {
    mj_Euler(m_, d_);
    return true;
  }
  return runge_kutta_.step(*m_, *d_, [&] {
    if (!state_is_good(status)) return false;
    run_position_stage(false);
    run_velocity_stage();
    if (compiled_.rules.any_restitution()) impacts_.postpone(compiled_.rules, *m_, *d_);
    calc_acceleration();
    return has_room(status) && acceleration_is_good(status);
  });
}

bool MujocoWorld::advance_implicitly(Status& status) {
  // Only mj_step2() reaches the implicit integrator. On a bad acceleration it resets everything, which the
  // caller undoes.
  mj_step2(m_, d_);
  if (const mjWarningStat& warning = d_->warning[mjWARN_BADQACC]; warning.number > 0) {
    status.outcome = Outcome::kDiverged;
    status.subject = name_of_dof(warning.lastinfo);
    status.cause = "its acceleration is not a number or beyond all bounds; use a smaller step";
    return false;
  }
  // The new velocities are in place already, but the step is described with those it began with.
  if (is_tracking()) {
    std::swap_ranges(start_->qvel.begin(), start_->qvel.end(), d_->qvel);
    capture_step();
    std::swap_ranges(start_->qvel.begin(), start_->qvel.end(), d_->qvel);
  }
  return true;
}

void MujocoWorld::resolve_impacts() {
  const auto add_velocities = [&](double factor) {
    for (std::size_t i = 0; i < capturing_.accelerations.size(); ++i) {
      const Twist velocity = body_velocity(BodyId{static_cast<int>(i)});
      capturing_.accelerations[i].linear += factor * velocity.linear;
      capturing_.accelerations[i].angular += factor * velocity.angular;
    }
  };
  const double rate = 1.0 / m_->opt.timestep;
  if (!impacts_.resolve(compiled_.rules, *m_, *d_)) return;
  // An observer sees the jump as a mean over the step.
  if (tracking_.contact_forces) capture_contacts();
  if (tracking_.joint_reactions) reactions_.add_closures(*m_, *d_);
  add_velocities(-rate);
  make_constraints();
  run_velocity_stage();
  add_velocities(rate);
}

void MujocoWorld::calc_acceleration() {
  if (m_->nu > 0) mj_fwdActuation(m_, d_);
  mj_fwdAcceleration(m_, d_);
  mj_fwdConstraint(m_, d_);
}

void MujocoWorld::run_position_stage(bool at_an_instant) {
  mj_kinematics(m_, d_);
  mj_comPos(m_, d_);
  if (m_->ntendon > 0) mj_tendon(m_, d_);
  if (m_->nu > 0) {
    drop_damping_of_slack_ropes();
    mj_transmission(m_, d_);
  }
  mj_crb(m_, d_);
  mj_factorM(m_, d_);
  mj_collision(m_, d_);
  if (has_box_pairs_) drop_phantom_contacts(*m_, *d_);
  if (!detachable_.empty()) detachable_.filter_contacts(*m_, *d_, at_an_instant);
  if (compiled_.rules.differ_from_geoms()) compiled_.rules.apply(*m_, *d_);
  make_constraints();
}

void MujocoWorld::run_velocity_stage() {
  mj_fwdVelocity(m_, d_);
  compiled_.rules.level_sliding(*d_);
}

void MujocoWorld::make_constraints() {
  mj_makeConstraint(m_, d_);
  compiled_.rules.keep_friction_firm(*m_, *d_);
  mj_projectConstraint(m_, d_);
}

void MujocoWorld::update_instant() {
  std::copy_n(d_->qpos, m_->nq, qpos_.begin());
  run_position_stage(true);
  run_velocity_stage();
  if (!detachable_.empty()) detachable_.update(*m_, *d_);
}

void MujocoWorld::drop_damping_of_slack_ropes() {
  for (std::size_t i = 0; i < compiled_.ropes.size(); ++i) {
    const SpringModel& rope = model_->springs[compiled_.ropes[i]];
    const bool taut = d_->ten_length[m_->actuator_trnid[2 * i]] > rope.length;
    m_->actuator_biasprm[mjNBIAS * i + 2] = taut ? -rope.damping : 0.0;
  }
}

void MujocoWorld::begin_capture() {
  if (!is_tracking()) return;
  capturing_.contacts.clear();
  reactions_.begin();
  std::fill(capturing_.accelerations.begin(), capturing_.accelerations.end(), Twist{});
}

void MujocoWorld::capture_step() {
  if (tracking_.contact_forces) capture_contacts();
  if (tracking_.accelerations) capture_accelerations();
  if (tracking_.joint_reactions) capture_reactions();
}

void MujocoWorld::capture_accelerations() {
  mj_rnePostConstraint(m_, d_);
  for (std::size_t i = 0; i < compiled_.bodies.size(); ++i) {
    std::array<double, 6> acceleration{};
    mj_objectAcceleration(m_, d_, mjOBJ_XBODY, compiled_.bodies[i], acceleration.data(), 0);
    // MuJoCo lets the world accelerate upwards instead of pulling bodies down.
    capturing_.accelerations[i].linear += vec3(acceleration.data() + 3) + model_->gravity;
    capturing_.accelerations[i].angular += vec3(acceleration.data());
  }
}

void MujocoWorld::capture_reactions() {
  reactions_.add_closures(*m_, *d_);
  reactions_.calc(*m_, *d_, capturing_.accelerations, capturing_.contacts, capturing_.reactions);
  // The motor of a detachable joint acts on both bodies from outside, as far as MuJoCo knows.
  for (std::size_t i = 0; i < joints_.size() && !detachable_.empty(); ++i) {
    const JointPlace& place = joints_[i];
    if (!place.detachable) continue;
    capturing_.reactions[i].torque += detachable_.calc_torque(
        JointId{static_cast<int>(i)}, {next_joint_force_.data() + place.force_offset, place.force_count}, *d_);
  }
}

void MujocoWorld::capture_contacts() {
  std::size_t count = 0;
  for (int i = 0; i < d_->ncon; ++i) {
    const mjContact& contact = d_->contact[i];
    if (contact.efc_address < 0) continue;
    std::array<double, 6> force{};
    mj_contactForce(m_, d_, i, force.data());
    const auto R_CW = mat3(contact.frame);
    const Vec3 force_W = R_CW.transpose() * vec3(force.data());
    const Vec3 torque_W = R_CW.transpose() * vec3(force.data() + 3);
    // After an impact the same contacts come by again.
    if (count < capturing_.contacts.size()) {
      capturing_.contacts[count].force += force_W;
      capturing_.contacts[count].torque += torque_W;
    } else {
      capturing_.contacts.push_back({.a = compiled_.shape_ids[static_cast<std::size_t>(contact.geom1)],
                                     .b = compiled_.shape_ids[static_cast<std::size_t>(contact.geom2)],
                                     .position = vec3(contact.pos),
                                     .normal = vec3(contact.frame),
                                     .depth = -contact.dist,
                                     .force = force_W,
                                     .torque = torque_W});
    }
    ++count;
  }
}

bool MujocoWorld::acceleration_is_good(Status& status) const {
  const int bad = find_bad(d_->qacc, m_->nv);
  if (bad < 0) return true;
  status.outcome = Outcome::kDiverged;
  status.subject = name_of_dof(bad);
  status.cause = "its acceleration is not a number or beyond all bounds; use a smaller step";
  return false;
}

bool MujocoWorld::state_is_good(Status& status) const {
  if (const int bad = find_bad(d_->qvel, m_->nv); bad >= 0) {
    status.subject = name_of_dof(bad);
    status.cause = "its velocity is not a number or beyond all bounds; use a smaller step";
  } else if (const int bad_position = find_bad(d_->qpos, m_->nq); bad_position >= 0) {
    status.subject = name_of_coordinate(bad_position);
    status.cause = "its position is not a number or beyond all bounds; use a smaller step";
  } else {
    return true;
  }
  status.outcome = Outcome::kDiverged;
  return false;
}

bool MujocoWorld::has_room(Status& status) const {
  const bool contacts_full = d_->warning[mjWARN_CONTACTFULL].number > 0;
  const bool rows_full = d_->warning[mjWARN_CNSTRFULL].number > 0;
  if (!contacts_full && !rows_full) return true;
  status.outcome = Outcome::kConstraintOverflow;
  status.cause =
      contacts_full
          ? fmt::format("there are more than {} contacts; set max_contacts in <engine>", m_->nconmax)
          : fmt::format("there are more than {} constraint rows; set max_contacts in <engine>", m_->njmax);
  return false;
}

std::string MujocoWorld::name_of_dof(int dof) const {
  if (dof < 0 || dof >= m_->nv) return {};
  return model_->body(compiled_.body_ids[static_cast<std::size_t>(m_->dof_bodyid[dof])]).name;
}

std::string MujocoWorld::name_of_coordinate(int coordinate) const {
  int joint = 0;
  while (joint + 1 < m_->njnt && m_->jnt_qposadr[joint + 1] <= coordinate) ++joint;
  return name_of_dof(m_->jnt_dofadr[joint]);
}

void MujocoWorld::copy_start(Start& start) const {
  std::copy(qpos_.begin(), qpos_.end(), start.qpos.begin());
  std::copy_n(d_->qvel, m_->nv, start.qvel.begin());
  std::copy_n(d_->qacc_warmstart, m_->nv, start.warmstart.begin());
  if (!detachable_.empty()) start.detachable = detachable_.states();
  start.forces.any = has_forces_;
  if (has_forces_) {
    std::copy_n(d_->qfrc_applied, m_->nv, start.forces.on_dofs.begin());
    start.forces.any_on_bodies = has_body_forces_;
    if (has_body_forces_) std::copy_n(d_->xfrc_applied, 6 * m_->nbody, start.forces.on_bodies.begin());
    std::copy(next_joint_force_.begin(), next_joint_force_.end(), start.forces.by_joint.begin());
  }
}

void MujocoWorld::go_to(const Start& start) {
  std::copy(start.qpos.begin(), start.qpos.end(), d_->qpos);
  std::copy(start.qvel.begin(), start.qvel.end(), d_->qvel);
  std::copy(start.warmstart.begin(), start.warmstart.end(), d_->qacc_warmstart);
  if (!detachable_.empty()) detachable_.set_states(start.detachable, *m_);
  std::fill(std::begin(d_->warning), std::end(d_->warning), mjWarningStat{});
  update_instant();
}

void MujocoWorld::clear_forces() {
  std::fill_n(d_->qfrc_applied, m_->nv, 0.0);
  if (has_body_forces_) std::fill_n(d_->xfrc_applied, 6 * m_->nbody, 0.0);
  std::fill(next_joint_force_.begin(), next_joint_force_.end(), 0.0);
  has_forces_ = has_body_forces_ = false;
  invalid_force_.clear();
}

Status MujocoWorld::fail(Status status) {
  clear_forces();
  try {
    go_to(*start_);
  } catch (const MujocoError& error) {
    mj_resetData(m_, d_);
    status.outcome = Outcome::kEngineFailure;
    status.cause = error.what();
  }
  return status;
}

}  // namespace lockstep
