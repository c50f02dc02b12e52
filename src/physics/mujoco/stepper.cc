#include "physics/mujoco/stepper.h"

#include <algorithm>
#include <cmath>

#include "physics/mujoco/substeps.h"

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

/// How often in one step bodies are moved back to where they touched.
constexpr int kPasses = 3;

/// How often that place is corrected. Distances of shapes are not exact.
constexpr int kSearch = 4;

/// Leaves nothing behind if MuJoCo fails in the middle of an impact.
struct EndOfImpact {
  EndOfImpact(Impacts& impacts_to_end, mjModel& model) : impacts(impacts_to_end), m(model) {}
  EndOfImpact(const EndOfImpact&) = delete;
  EndOfImpact& operator=(const EndOfImpact&) = delete;
  ~EndOfImpact() { impacts.give_up(m); }
  Impacts& impacts;
  mjModel& m;
};

/// The step of MuJoCo while a step is taken in parts.
class TimestepOfParts {
 public:
  TimestepOfParts(mjModel& m, int parts) : m_(m), step_(m.opt.timestep) { m.opt.timestep = step_ / parts; }
  TimestepOfParts(const TimestepOfParts&) = delete;
  TimestepOfParts& operator=(const TimestepOfParts&) = delete;
  ~TimestepOfParts() { m_.opt.timestep = step_; }

 private:
  mjModel& m_;
  double step_;
};

constexpr const char* kBadAcceleration =
    "its acceleration is not a number or beyond all bounds; use a smaller step";

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
    status.cause = "its velocity is not a number or beyond all bounds; use a smaller step";
  } else if (const int bad_position = find_bad(instance_.d->qpos, instance_.m->nq); bad_position >= 0) {
    status.subject = name_of_coordinate(bad_position);
    status.cause = "its position is not a number or beyond all bounds; use a smaller step";
  } else {
    return true;
  }
  status.outcome = Outcome::kDiverged;
  return false;
}

bool HealthCheck::has_capacity(Status& status) const {
  const bool contacts_full = instance_.d->warning[mjWARN_CONTACTFULL].number > 0;
  const bool rows_full = instance_.d->warning[mjWARN_CNSTRFULL].number > 0;
  if (!contacts_full && !rows_full) return true;
  status.outcome = Outcome::kConstraintOverflow;
  status.cause =
      contacts_full
          ? fmt::format("there are more than {} contacts; set max_contacts in <mujoco>", instance_.m->nconmax)
          : fmt::format("there are more than {} constraint rows; set max_contacts in <mujoco>",
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

Stepper::Stepper(MujocoInstance& instance, Dynamics& dynamics, StepTracker& tracker)
    : instance_(instance),
      dynamics_(dynamics),
      tracker_(tracker),
      health_(instance),
      runge_kutta_(*instance.m),
      impacts_(instance.model, *instance.m),
      part_qvel_(static_cast<std::size_t>(instance.m->nv)) {}

bool Stepper::advance(std::vector<double>& start_qvel, Status& status) {
  if (!health_.has_capacity(status)) return false;
  tracker_.begin();
  if (instance_.compiled.rules.any_impacts()) resolve_impacts();
  const double step = instance_.m->opt.timestep;
  const int parts = instance_.compiled.rules.is_plain() ? 1 : count_substeps(*instance_.m, *instance_.d, step);
  if (parts == 1) return take_part(start_qvel, status);

  const TimestepOfParts timestep(*instance_.m, parts);
  tracker_.set_share(1.0 / parts);
  for (int part = 0; part < parts; ++part) {
    if (part > 0 && instance_.compiled.rules.any_impacts()) resolve_impacts();
    part_qvel_.assign(instance_.d->qvel, instance_.d->qvel + instance_.m->nv);
    if (!take_part(part_qvel_, status)) return false;
  }
  return true;
}

bool Stepper::take_part(std::vector<double>& start_qvel, Status& status) {
  const bool implicit = instance_.m->opt.integrator == mjINT_IMPLICIT;
  if (!(implicit ? advance_implicitly(start_qvel, status) : advance_explicitly(status))) return false;
  if (!health_.has_good_state(status)) return false;
  dynamics_.update_instant();
  return health_.has_capacity(status);
}

bool Stepper::advance_explicitly(Status& status) {
  mjModel& m = *instance_.m;
  mjData& d = *instance_.d;
  dynamics_.calc_acceleration();
  if (!health_.has_good_acceleration(status)) return false;
  tracker_.capture();
  if (m.opt.integrator == mjINT_EULER) {
    mj_Euler(&m, &d);
    return true;
  }
  return runge_kutta_.step(m, d, [&] {
    if (!health_.has_good_state(status)) return false;
    dynamics_.run_position_stage(false);
    dynamics_.run_velocity_stage();
    const ContactRules& rules = instance_.compiled.rules;
    if (rules.any_impacts()) impacts_.postpone(rules, m, d);
    dynamics_.calc_acceleration();
    return health_.has_capacity(status) && health_.has_good_acceleration(status);
  });
}

bool Stepper::advance_implicitly(std::vector<double>& start_qvel, Status& status) {
  // Only mj_step2() reaches the implicit integrator. On a bad acceleration it resets everything, which the
  // caller undoes.
  if (dynamics_.may_throw()) dynamics_.calc_acceleration();
  mj_step2(instance_.m, instance_.d);
  if (!health_.survived_reset(status)) return false;
  // The new velocities are in place already, but the step is described with those it began with.
  if (tracker_.is_tracking()) {
    std::swap_ranges(start_qvel.begin(), start_qvel.end(), instance_.d->qvel);
    tracker_.capture();
    std::swap_ranges(start_qvel.begin(), start_qvel.end(), instance_.d->qvel);
  }
  return true;
}

void Stepper::resolve_impacts() {
  mjModel& m = *instance_.m;
  mjData& d = *instance_.d;
  const ContactRules& rules = instance_.compiled.rules;
  if (!impacts_.any_hits(rules, m, d)) return;
  const double rate = 1.0 / m.opt.timestep;
  tracker_.add_velocities(-rate);
  const EndOfImpact end(impacts_, m);
  const auto update = [&] {
    dynamics_.run_position_stage(false);
    dynamics_.run_velocity_stage();
  };
  // First what touched first, then what hit later in the step.
  for (int pass = 0; pass < kPasses && impacts_.go_back(rules, m, d); ++pass) {
    update();
    for (int i = 0; i < kSearch && impacts_.go_back(rules, m, d); ++i) update();
    const bool resolved = impacts_.resolve(rules, m, d);
    if (resolved) tracker_.capture_impulses();
    impacts_.go_on(m, d);
    update();
    if (!resolved || !impacts_.any_hits(rules, m, d)) break;
  }
  if (impacts_.resolve(rules, m, d)) {
    tracker_.capture_impulses();
    dynamics_.make_constraints();
    dynamics_.run_velocity_stage();
  }
  tracker_.add_velocities(rate);
}

}  // namespace lockstep
