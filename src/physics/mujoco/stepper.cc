#include "physics/mujoco/stepper.h"

#include <algorithm>
#include <cmath>

#include "physics/mujoco/totals.h"

namespace lockstep {
namespace {

/// Index of the first value that is NaN or above MuJoCo's limit; -1 if all are valid.
int find_bad(const double* values, int count) {
  // If the sum of their squares is that small, each of them is. NaN is not.
  if (mju_dot(values, values, count) <= mjMAXVAL * mjMAXVAL) return -1;
  for (int i = 0; i < count; ++i) {
    if (!(std::abs(values[i]) <= mjMAXVAL)) return i;
  }
  return -1;
}

/// Limit of the passes in a step that resolve impacts at their time of touch.
constexpr int kMaxPasses = 3;

/// Limit of the corrections of that time, because distances of shapes are not exact.
constexpr int kMaxCorrections = 4;

/// Ends a rewind also if MuJoCo fails during an impact.
class RewindGuard {
 public:
  RewindGuard(Impacts& impacts, mjModel& m) : impacts_(impacts), m_(m) {}
  RewindGuard(const RewindGuard&) = delete;
  RewindGuard& operator=(const RewindGuard&) = delete;
  ~RewindGuard() { impacts_.cancel_rewind(m_); }

 private:
  Impacts& impacts_;
  mjModel& m_;
};

/// Sets MuJoCo's timestep while a step is taken in substeps.
class SubstepTime {
 public:
  SubstepTime(mjModel& m, int substeps) : m_(m), step_(m.opt.timestep) { m.opt.timestep = step_ / substeps; }
  SubstepTime(const SubstepTime&) = delete;
  SubstepTime& operator=(const SubstepTime&) = delete;
  ~SubstepTime() { m_.opt.timestep = step_; }

 private:
  mjModel& m_;
  double step_;
};

constexpr const char* kBadAcceleration = "its acceleration is NaN or too large; use a smaller step";

}  // namespace

bool HealthCheck::has_good_acceleration(Status& status) const {
  const int bad = find_bad(instance_.d->qacc, instance_.m->nv);
  if (bad < 0) return true;
  status.outcome = Outcome::kDiverged;
  status.subject = name_of_dof(bad);
  status.cause = kBadAcceleration;
  return false;
}

bool HealthCheck::survived_reset(Status& status) const {
  const mjWarningStat& warning = instance_.d->warning[mjWARN_BADQACC];
  if (warning.number == 0) return true;
  status.outcome = Outcome::kDiverged;
  status.subject = name_of_dof(warning.lastinfo);
  status.cause = kBadAcceleration;
  return false;
}

bool HealthCheck::has_good_state(Status& status) const {
  if (const int bad = find_bad(instance_.d->qvel, instance_.m->nv); bad >= 0) {
    status.subject = name_of_dof(bad);
    status.cause = "its velocity is NaN or too large; use a smaller step";
  } else if (const int bad_position = find_bad(instance_.d->qpos, instance_.m->nq); bad_position >= 0) {
    status.subject = name_of_coordinate(bad_position);
    status.cause = "its position is NaN or too large; use a smaller step";
  } else {
    return true;
  }
  status.outcome = Outcome::kDiverged;
  return false;
}

void HealthCheck::set_rotates_too_far(int dof, Status& status) const {
  status.outcome = Outcome::kDiverged;
  status.subject = name_of_dof(dof);
  status.cause = "it rotates too far in one step; use a smaller step";
}

bool HealthCheck::has_capacity(Status& status) const {
  const bool contacts_full = instance_.d->warning[mjWARN_CONTACTFULL].number > 0;
  const bool rows_full = instance_.d->warning[mjWARN_CNSTRFULL].number > 0;
  if (!contacts_full && !rows_full) return true;
  status.outcome = Outcome::kConstraintOverflow;
  status.cause =
      contacts_full
          ? fmt::format("there are more than {} contacts; set max_contacts in <mujoco> or use fewer shapes",
                        instance_.m->nconmax)
          : fmt::format(
                "there are more than {} constraint rows; set max_contacts in <mujoco> or use fewer shapes",
                instance_.m->njmax);
  return false;
}

std::string HealthCheck::name_of_dof(int dof) const {
  const mjModel& m = *instance_.m;
  if (dof < 0 || dof >= m.nv) return {};
  return instance_.model.body(instance_.compiled.body_ids[static_cast<std::size_t>(m.dof_bodyid[dof])]).name;
}

std::string HealthCheck::name_of_coordinate(int coordinate) const {
  const mjModel& m = *instance_.m;
  int joint = 0;
  while (joint + 1 < m.njnt && m.jnt_qposadr[joint + 1] <= coordinate) ++joint;
  return name_of_dof(m.jnt_dofadr[joint]);
}

Stepper::Stepper(MujocoInstance& instance, Dynamics& dynamics, const AppliedForces& forces,
                 StepTracker& tracker, WorkMeter& meter)
    : instance_(instance),
      dynamics_(dynamics),
      forces_(forces),
      tracker_(tracker),
      meter_(meter),
      health_(instance),
      runge_kutta_(*instance.m, instance.compiled.steady_spin),
      impacts_(instance.model, *instance.m),
      substeps_(*instance.m),
      stiff_damping_(*instance.m),
      turning_trees_(*instance.m, instance.compiled.steady_spin && instance.m->opt.integrator != mjINT_RK4),
      matrix_(*instance.m),
      own_damping_(instance.m->dof_damping, instance.m->dof_damping + instance.m->nv),
      gradient_(static_cast<std::size_t>(instance.m->nv)),
      after_forces_(static_cast<std::size_t>(instance.m->nv)),
      substep_qvel_(static_cast<std::size_t>(instance.m->nv)) {
  own_damping_.insert(own_damping_.end(), instance.m->tendon_damping,
                      instance.m->tendon_damping + instance.m->ntendon);
}

bool Stepper::advance(std::vector<double>& start_qvel, Status& status) {
  if (!health_.has_capacity(status)) return false;
  tracker_.begin();
  meter_.begin_step();
  if (!instance_.driven.empty()) instance_.driven.begin_step(*instance_.m, *instance_.d);
  const ContactRules& rules = instance_.compiled.rules;
  const bool had_impact = rules.any_impacts() && resolve_impacts();
  const int substeps =
      rules.is_plain() ? 1 : substeps_.count(*instance_.m, *instance_.d, instance_.m->opt.timestep);
  if (substeps == 1 && !had_impact) {
    if (!instance_.driven.empty()) instance_.driven.begin_substep(*instance_.m, *instance_.d, 0.0, 1.0);
    return take_substep(start_qvel, status);
  }

  const SubstepTime timestep(*instance_.m, substeps);
  tracker_.set_fraction(1.0 / substeps);
  for (int i = 0; i < substeps; ++i) {
    if (i > 0 && rules.any_impacts()) resolve_impacts();
    instance_.driven.begin_substep(*instance_.m, *instance_.d, static_cast<double>(i) / substeps,
                                   static_cast<double>(i + 1) / substeps);
    substep_qvel_.assign(instance_.d->qvel, instance_.d->qvel + instance_.m->nv);
    if (!take_substep(substep_qvel_, status)) return false;
  }
  return true;
}

bool Stepper::take_substep(std::vector<double>& start_qvel, Status& status) {
  const int integrator = instance_.m->opt.integrator;
  const bool good = integrator == mjINT_RK4 ? advance_by_runge_kutta(status)
                    : integrator == mjINT_IMPLICIT && turning_trees_.empty() && instance_.driven.empty() &&
                            !holds_stiff_damping()
                        ? advance_by_mujocos_implicit(start_qvel, status)
                        : advance_once(start_qvel, status);
  if (!good || !health_.has_good_state(status)) return false;
  if (!instance_.driven.empty()) instance_.driven.set_end(*instance_.d);
  dynamics_.update_positions();
  if (!turning_trees_.empty()) turning_trees_.finish(*instance_.m, *instance_.d);
  if (!instance_.driven.empty()) instance_.driven.set_end_velocities(*instance_.d);
  dynamics_.update_velocities();
  return health_.has_capacity(status);
}

bool Stepper::holds_stiff_damping() {
  // Without constraints every integrator handles damping of any strength. Without steady_spin the results are
  // MuJoCo's own.
  if (instance_.d->nefc == 0 || !instance_.compiled.steady_spin) return false;
  stiff_damping_.begin(*instance_.m, *instance_.d);
  return stiff_damping_.is_stiff();
}

void Stepper::calc_acceleration(std::span<const double> implicit_damping) {
  if (implicit_damping.empty() || instance_.d->nefc == 0 || !instance_.compiled.steady_spin) {
    dynamics_.calc_acceleration();
    return;
  }
  const StiffDamping::Heavier heavier(stiff_damping_, *instance_.m, *instance_.d, implicit_damping);
  dynamics_.calc_acceleration();
}

/// While it exists, the implicit integrator treats the damping of actuators as that of joints and tendons.
class Stepper::ActuatorDamping {
 public:
  explicit ActuatorDamping(Stepper& stepper) : stepper_(stepper) { stepper_.set_actuator_damping(true); }
  ~ActuatorDamping() { stepper_.set_actuator_damping(false); }
  ActuatorDamping(const ActuatorDamping&) = delete;
  ActuatorDamping& operator=(const ActuatorDamping&) = delete;

 private:
  Stepper& stepper_;
};

void Stepper::set_actuator_damping(bool is_on) {
  const std::span<const double> more = forces_.damping();
  if (more.empty()) return;
  mjModel& m = *instance_.m;
  const auto dofs = static_cast<std::size_t>(m.nv);
  for (std::size_t i = 0; i < more.size(); ++i) {
    double& damping = i < dofs ? m.dof_damping[i] : m.tendon_damping[i - dofs];
    damping = is_on ? own_damping_[i] + more[i] : own_damping_[i];
  }
}

bool Stepper::advance_by_runge_kutta(Status& status) {
  mjModel& m = *instance_.m;
  mjData& d = *instance_.d;
  DrivenJoints& driven = instance_.driven;
  driven.set_stage(d, 0.0);
  stiff_damping_.begin(m, d);
  calc_acceleration(stiff_damping_.stiff_part());
  if (!health_.has_good_acceleration(status)) return false;
  tracker_.capture();
  stiff_damping_.adjust(m, d, driven);
  driven.take_forces(RungeKutta4::kWeight[0]);
  meter_.begin_stages();
  meter_.add_stage(RungeKutta4::kWeight[0], stiff_damping_.stiff_part());
  const bool good = runge_kutta_.step(m, d, [&](std::size_t stage) {
    driven.set_stage(d, RungeKutta4::kReach[stage]);
    if (!health_.has_good_state(status)) return false;
    dynamics_.run_position_stage(false);
    dynamics_.run_velocity_stage();
    const ContactRules& rules = instance_.compiled.rules;
    if (rules.any_impacts()) impacts_.postpone(rules, m, d);
    calc_acceleration(stiff_damping_.stiff_part());
    stiff_damping_.adjust(m, d, driven);
    driven.take_forces(RungeKutta4::kWeight[stage]);
    meter_.add_stage(RungeKutta4::kWeight[stage], stiff_damping_.stiff_part());
    return health_.has_capacity(status) && health_.has_good_acceleration(status);
  });
  driven.set_end(d);
  if (good) meter_.finish_stages(d.qvel);
  return good;
}

bool Stepper::advance_once(const std::vector<double>& start_qvel, Status& status) {
  mjModel& m = *instance_.m;
  mjData& d = *instance_.d;
  // The integrators below treat all damping implicitly.
  const std::span damping(m.dof_damping, static_cast<std::size_t>(m.nv));
  calc_acceleration(holds_stiff_damping() ? damping : std::span<const double>());
  if (!health_.has_good_acceleration(status)) return false;
  tracker_.capture();
  if (!turning_trees_.empty()) turning_trees_.begin(m, d, instance_.driven);
  if (m.opt.integrator == mjINT_IMPLICIT || !instance_.driven.empty()) {
    solve_with_implicit_damping();
    mju_addToScl(d.qvel, d.qacc, m.opt.timestep, m.nv);
    mj_integratePos(&m, d.qpos, d.qvel, m.opt.timestep);
  } else {
    mj_Euler(&m, &d);
  }
  if (!instance_.driven.empty()) {
    instance_.driven.take_forces(1.0);
    instance_.driven.set_end(d);
  }
  if (turning_trees_.empty()) {
    meter_.add_substep(start_qvel.data(), d.qvel, d.qvel);
    return true;
  }
  mju_add(after_forces_.data(), d.qvel, turning_trees_.slowing().data(), m.nv);
  meter_.add_substep(start_qvel.data(), d.qvel, after_forces_.data());
  const int too_fast = turning_trees_.move(m, d);
  if (too_fast >= 0) health_.set_rotates_too_far(too_fast, status);
  return too_fast < 0;
}

void Stepper::solve_with_implicit_damping() {
  const ActuatorDamping of_actuators(*this);
  const mjModel& m = *instance_.m;
  mjData& d = *instance_.d;
  const double h = m.opt.timestep;
  DrivenJoints& driven = instance_.driven;
  const std::span<const double> damping(m.dof_damping, static_cast<std::size_t>(m.nv));
  matrix_.set_to_mass(m, d);
  matrix_.add_to_diagonal(m, damping, h);
  mju_add(d.qacc, d.qfrc_smooth, d.qfrc_constraint, m.nv);
  driven.make_relative(damping, h, d.qacc);
  const auto add_product = [&](const double* gradient, double factor) {
    matrix_.add_product(m, gradient, factor);
    driven.subtract_product(m, gradient, factor, d.qacc);
  };
  for (int tendon = 0; tendon < m.ntendon && m.opt.integrator == mjINT_IMPLICIT; ++tendon) {
    if (m.tendon_damping[tendon] == 0.0) continue;
    if (mj_isSparse(&m)) {
      std::fill(gradient_.begin(), gradient_.end(), 0.0);
      const int first = d.ten_J_rowadr[tendon];
      for (int i = first; i < first + d.ten_J_rownnz[tendon]; ++i)
        gradient_[static_cast<std::size_t>(d.ten_J_colind[i])] = d.ten_J[i];
    } else {
      std::copy_n(d.ten_J + tendon * m.nv, m.nv, gradient_.begin());
    }
    add_product(gradient_.data(), h * m.tendon_damping[tendon]);
  }
  // Ropes are actuators; a slack rope does not damp.
  for (int rope = 0; rope < m.nu && m.opt.integrator == mjINT_IMPLICIT; ++rope)
    add_product(d.actuator_moment + rope * m.nv, -h * m.actuator_biasprm[mjNBIAS * rope + 2]);
  matrix_.factorise(m);
  matrix_.solve(m, d.qacc);
  driven.make_absolute(d.qacc);
}

bool Stepper::advance_by_mujocos_implicit(std::vector<double>& start_qvel, Status& status) {
  // Only mj_step2() reaches the implicit integrator. On a bad acceleration it resets everything, which the
  // caller undoes.
  if (dynamics_.may_solve_again()) dynamics_.calc_acceleration();
  {
    const ActuatorDamping of_actuators(*this);
    mj_step2(instance_.m, instance_.d);
  }
  if (!health_.survived_reset(status)) return false;
  meter_.add_substep(start_qvel.data(), instance_.d->qvel, instance_.d->qvel);
  // The new velocities are already set, but the step is captured with those of its start.
  if (tracker_.is_tracking()) {
    std::swap_ranges(start_qvel.begin(), start_qvel.end(), instance_.d->qvel);
    tracker_.capture();
    std::swap_ranges(start_qvel.begin(), start_qvel.end(), instance_.d->qvel);
  }
  return true;
}

bool Stepper::resolve_hits(double& drive_work) {
  instance_.driven.begin_impact(*instance_.m, *instance_.d);
  if (!impacts_.resolve(instance_.compiled.rules, *instance_.m, *instance_.d)) return false;
  tracker_.capture_impulses();
  drive_work += instance_.driven.finish_impact(*instance_.m, *instance_.d);
  return true;
}

bool Stepper::resolve_impacts() {
  mjModel& m = *instance_.m;
  mjData& d = *instance_.d;
  const ContactRules& rules = instance_.compiled.rules;
  if (!impacts_.any_hits(rules, m, d)) return false;
  const double energy = calc_energy(instance_).total();
  double drive_work = 0.0;
  const double rate = 1.0 / m.opt.timestep;
  tracker_.add_velocities(-rate);
  const RewindGuard guard(impacts_, m);
  const auto update = [&] {
    dynamics_.run_position_stage(false);
    dynamics_.run_velocity_stage();
  };
  // First the contacts that touched first, then those that collided later in the step.
  for (int pass = 0; pass < kMaxPasses && impacts_.rewind(rules, m, d); ++pass) {
    update();
    for (int i = 0; i < kMaxCorrections && impacts_.rewind(rules, m, d); ++i) update();
    const bool resolved = resolve_hits(drive_work);
    impacts_.return_to_now(m, d);
    update();
    if (!resolved || !impacts_.any_hits(rules, m, d)) break;
  }
  if (resolve_hits(drive_work)) {
    dynamics_.make_constraints();
    dynamics_.run_velocity_stage();
  }
  tracker_.add_velocities(rate);
  meter_.add_impact(calc_energy(instance_).total() - energy - drive_work);
  return true;
}

}  // namespace lockstep
