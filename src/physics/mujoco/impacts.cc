#include "physics/mujoco/impacts.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// Resting and stopping speed, in multiples of the speed that gravity adds in one step. At the stopping speed the
/// softness of a contact rebounds with one such multiple (1/16 of the impact speed, measured and calculated).
constexpr double kRestingSteps = 4.0;
constexpr double kStoppingSteps = 16.0;

/// Velocities below this are rounding errors, m/s.
constexpr double kNoise = 1e-9;

/// Target velocity or reference acceleration that deactivates a contact row.
constexpr double kInactiveTarget = -1e9;

/// A row of n bodies needs about n rounds; a light one between heavy ones needs many more, as in reality.
constexpr int kMaxRounds = 200;

/// Limit of the repeated solutions of a round, and the change at which they have converged, relative to the speed
/// of the fastest contact.
constexpr int kMaxSolutions = 8;
constexpr double kAgreement = 1e-8;

/// Overlaps below this are rounding errors, m.
constexpr double kTouching = 1e-9;

/// After a rewind, contacts count as touching if their distance is below this fraction of the overlap.
constexpr double kTouchMargin = 0.2;

/// Limit of the iterations for the mean velocity of a motion of at most one step, and the change of the impulse at which
/// they have converged, relative to the impulse. Each reduces the error by a factor of about half the rotation angle.
constexpr int kMaxMoveIterations = 20;
constexpr double kMoveAgreement = 1e-9;

/// Energy that rounding errors may add, as a fraction of the energy that the contacts transfer.
constexpr double kRounding = 1e-13;

bool is_pyramid(const mjModel& m, const mjContact& contact) {
  return m.opt.cone == mjCONE_PYRAMIDAL && contact.dim > 1;
}

int count_rows(const mjModel& m, const mjContact& contact) {
  return is_pyramid(m, contact) ? 2 * (contact.dim - 1) : contact.dim;
}

/// Rows that contain the normal velocity: all of a pyramid, the first of an elliptic cone.
int count_normal_rows(const mjModel& m, const mjContact& contact) {
  return is_pyramid(m, contact) ? count_rows(m, contact) : 1;
}

/// Speed along the normal, positive when separating, from the velocities of all rows.
double normal_velocity(const mjModel& m, const mjContact& contact, const double* velocities) {
  const double* velocity = velocities + contact.efc_address;
  // The first two rows of a pyramid are normal plus and minus friction.
  return is_pyramid(m, contact) ? 0.5 * (velocity[0] + velocity[1]) : velocity[0];
}

/// Solver options for an exact solution, independent of those of the steps.
class ImpactOptions {
 public:
  explicit ImpactOptions(mjModel& m) : m_(m), options_(m.opt) {
    m.opt.solver = mjSOL_NEWTON;
    m.opt.iterations = 100;
    m.opt.tolerance = 1e-16;
  }
  ~ImpactOptions() { m_.opt = options_; }
  ImpactOptions(const ImpactOptions&) = delete;
  ImpactOptions& operator=(const ImpactOptions&) = delete;

 private:
  mjModel& m_;
  mjOption options_;
};

}  // namespace

Impacts::Impacts(const Model& model, const mjModel& m) {
  const double gained = to_seconds(model.step) * model.gravity.norm();
  resting_speed_ = std::max(kNoise, kRestingSteps * gained);
  stopping_speed_ = std::max(kNoise, kStoppingSteps * gained);
  for (auto* numbers :
       {&warmstart_, &jump_, &force_, &other_jump_, &other_force_, &springs_, &start_, &last_force_})
    numbers->resize(static_cast<std::size_t>(m.nv));
  own_margins_.assign(m.geom_margin, m.geom_margin + m.ngeom);
  fit_capacity(m);
}

void Impacts::fit_capacity(const mjModel& m) {
  round_.resize(static_cast<std::size_t>(m.nconmax));
  for (auto* numbers : {&sum_, &last_impulse_, &other_impulse_, &after_})
    numbers->resize(static_cast<std::size_t>(m.njmax));
}

bool Impacts::hits(const ContactRules& rules, const mjContact& contact, double velocity) const {
  const ContactRule& rule = rules.rule_of(contact);
  return rule.impacts && velocity < -(rule.restitution > 0.0 ? resting_speed_ : stopping_speed_);
}

bool Impacts::any_hits(const ContactRules& rules, const mjModel& m, const mjData& d) const {
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (contact.efc_address >= 0 && hits(rules, contact, normal_velocity(m, contact, d.efc_vel))) return true;
  }
  return false;
}

bool Impacts::resolve(const ContactRules& rules, mjModel& m, mjData& d) {
  if (!any_hits(rules, m, d)) return false;
  const ImpactOptions options(m);
  mju_copy(warmstart_.data(), d.qacc_warmstart, m.nv);  // the next step keeps its own warm start
  mju_zero(sum_.data(), d.nefc);
  // Only constraint impulses act in an instant.
  mju_zero(d.efc_frictionloss, d.nefc);
  mju_zero(d.qfrc_smooth, m.nv);
  mju_zero(d.qacc_smooth, m.nv);

  int round = 0;
  while (round < kMaxRounds && prepare_round(rules, m, d) && take_round(m, d)) ++round;
  if (round == kMaxRounds) {
    prepare_last_round(rules, d);
    take_round(m, d);
  }
  mju_scl(d.efc_force, sum_.data(), 1.0 / m.opt.timestep, d.nefc);
  mju_copy(d.qacc_warmstart, warmstart_.data(), m.nv);
  return true;
}

bool Impacts::prepare_round(const ContactRules& rules, const mjModel& m, const mjData& d) {
  bool any = false;
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    RoundContact& target = round_[static_cast<std::size_t>(i)];
    target.active = false;
    if (contact.efc_address < 0) continue;
    const ContactRule& rule = rules.rule_of(contact);
    const double velocity = normal_velocity(m, contact, d.efc_vel);
    if (hits(rules, contact, velocity)) {
      any = target.active = true;
      target.rebound = -rule.restitution * velocity;
    } else if (rule.impacts && rule.restitution == 0.0 && velocity <= resting_speed_) {
      target.active = true;
      target.rebound = std::min(0.0, -velocity);  // does no work
    }
  }
  return any;
}

void Impacts::prepare_last_round(const ContactRules& rules, const mjData& d) {
  for (int i = 0; i < d.ncon; ++i) {
    RoundContact& target = round_[static_cast<std::size_t>(i)];
    target.active = d.contact[i].efc_address >= 0 && rules.rule_of(d.contact[i]).impacts;
    target.rebound = 0.0;
  }
}

bool Impacts::take_round(const mjModel& m, mjData& d) {
  solve(m, d, 1.0);
  Gain gain = calc_gain(m, d);
  if (gain.total() > kRounding * gain.of_jump) {
    std::swap(jump_, other_jump_);
    std::swap(force_, other_force_);
    mju_copy(other_impulse_.data(), d.efc_force, d.nefc);
    solve(m, d, 0.0);
    blend(m, d, gain);
    gain = calc_gain(m, d);
  }
  // If MuJoCo did not find the solution, apply the fraction of it that adds no energy.
  const bool found = gain.total() <= kRounding * gain.of_jump;
  const double share = found ? 1.0 : std::clamp(-gain.of_force / gain.of_jump, 0.0, 1.0);
  mju_addToScl(d.qvel, jump_.data(), share, m.nv);
  mju_addToScl(sum_.data(), d.efc_force, share, d.nefc);
  mj_mulJacVec(&m, &d, d.efc_vel, d.qvel);
  return found && gain.of_jump > 0.0;
}

Impacts::Gain Impacts::calc_gain(const mjModel& m, const mjData& d) const {
  return {mju_dot(d.qvel, force_.data(), m.nv), 0.5 * mju_dot(jump_.data(), force_.data(), m.nv)};
}

void Impacts::blend(const mjModel& m, mjData& d, const Gain& other) {
  // Between the two solutions the gain is the parabola a s^2 + b s + c.
  const Gain without = calc_gain(m, d);
  const double c = std::min(without.total(), 0.0);
  const double a = other.of_jump - mju_dot(jump_.data(), other_force_.data(), m.nv) + without.of_jump;
  const double b = other.total() - without.total() - a;
  const double root = std::sqrt(std::max(0.0, b * b - 4.0 * a * c));
  const double share = b > 0.0 ? -2.0 * c / (b + root) : a > 0.0 ? (root - b) / (2.0 * a) : 0.0;
  const auto mix = [s = std::clamp(share, 0.0, 1.0)](double* numbers, const double* others, int count) {
    for (int i = 0; i < count; ++i) numbers[i] += s * (others[i] - numbers[i]);
  };
  mix(jump_.data(), other_jump_.data(), m.nv);
  mix(force_.data(), other_force_.data(), m.nv);
  mix(d.efc_force, other_impulse_.data(), d.nefc);
}

void Impacts::solve(const mjModel& m, mjData& d, double rebound_factor) {
  double fastest = 0.0;
  for (int i = 0; i < d.ncon; ++i) {
    RoundContact& target = round_[static_cast<std::size_t>(i)];
    target.lift = 0.0;
    if (target.active) fastest = std::max(fastest, std::abs(normal_velocity(m, d.contact[i], d.efc_vel)));
  }
  mju_zero(d.qacc_warmstart, m.nv);
  mju_zero(d.efc_force, d.nefc);
  for (int solution = 0; solution < kMaxSolutions; ++solution) {
    set_targets(m, d, rebound_factor);
    mju_copy(last_impulse_.data(), d.efc_force, d.nefc);
    // Add what the softness R of the constraints took from the last solution.
    for (int row = 0; row < d.nefc; ++row) d.efc_aref[row] += d.efc_R[row] * d.efc_force[row];
    mj_fwdConstraint(&m, &d);
    // MuJoCo's line search may divide by zero if it starts at the solution.
    const bool found = std::isfinite(mju_dot(d.efc_force, d.efc_force, d.nefc));
    if (!found) mju_copy(d.efc_force, last_impulse_.data(), d.nefc);
    // From the impulses, so that momentum is conserved to rounding errors.
    mj_mulJacTVec(&m, &d, force_.data(), d.efc_force);
    mj_solveM(const_cast<mjModel*>(&m), &d, jump_.data(), force_.data(), 1);
    if (!found) return;
    mj_mulJacVec(&m, &d, after_.data(), jump_.data());
    mju_addTo(after_.data(), d.efc_vel, d.nefc);
    double change = 0.0;
    for (int i = 0; i < d.ncon; ++i) {
      RoundContact& target = round_[static_cast<std::size_t>(i)];
      if (!target.active) continue;
      const double lift = calc_lift(m, d.contact[i]);
      change = std::max(change, std::abs(lift - target.lift));
      target.lift = lift;
    }
    for (int row = 0; row < d.nefc; ++row) {
      const auto i = static_cast<std::size_t>(row);
      change = std::max(change, d.efc_R[row] * std::abs(d.efc_force[row] - last_impulse_[i]));
    }
    if (change <= kAgreement * fastest) break;
  }
}

void Impacts::set_targets(const mjModel& m, mjData& d, double rebound_factor) const {
  const auto hold = [&](int row) { d.efc_aref[row] = -2.0 * d.efc_vel[row]; };  // does no work
  for (int row = 0; row < d.nefc; ++row) {
    const double velocity = d.efc_vel[row];
    switch (d.efc_type[row]) {
      case mjCNSTR_EQUALITY:
        hold(row);
        break;
      case mjCNSTR_LIMIT_JOINT:
      case mjCNSTR_LIMIT_TENDON:
        if (velocity < 0.0)
          d.efc_aref[row] = -velocity;
        else if (velocity <= resting_speed_)
          hold(row);
        else
          d.efc_aref[row] = kInactiveTarget;
        break;
      default:
        d.efc_aref[row] = -velocity;
    }
  }
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (contact.efc_address < 0) continue;
    const RoundContact& target = round_[static_cast<std::size_t>(i)];
    double* aref = d.efc_aref + contact.efc_address;
    const double rebound = target.rebound > 0.0 ? rebound_factor * target.rebound : target.rebound;
    for (int j = 0; j < count_normal_rows(m, contact); ++j) {
      if (target.active)
        aref[j] += rebound - target.lift;
      else
        aref[j] = kInactiveTarget;
    }
  }
}

double Impacts::calc_lift(const mjModel& m, const mjContact& contact) const {
  const double* velocity = after_.data() + contact.efc_address;
  if (is_pyramid(m, contact)) {
    double lift = 0.0;
    for (int j = 0; j < count_rows(m, contact); j += 2)
      lift = std::max(lift, 0.5 * std::abs(velocity[j] - velocity[j + 1]));
    return lift;
  }
  double squares = 0.0;
  for (int j = 1; j < contact.dim; ++j) {
    const double lift = contact.friction[j - 1] * velocity[j];
    squares += lift * lift;
  }
  return std::sqrt(squares);
}

bool Impacts::rewind(const ContactRules& rules, mjModel& m, mjData& d) {
  double time = 0.0, deepest = 0.0;
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (contact.efc_address < 0) continue;
    const double velocity = normal_velocity(m, contact, d.efc_vel);
    if (!hits(rules, contact, velocity)) continue;
    time = std::max(time, contact.dist / velocity);
    deepest = std::max(deepest, -contact.dist);
  }
  time = std::min(time, m.opt.timestep - rewound_);
  if (deepest <= kTouching || time <= 0.0) return false;
  if (rewound_ == 0.0) save_springs(m, d);
  std::fill_n(m.geom_margin, m.ngeom, kTouchMargin * deepest);
  rewound_ += time;
  move(m, d, -time);
  return true;
}

void Impacts::return_to_now(mjModel& m, mjData& d) {
  move(m, d, rewound_);
  cancel_rewind(m);
}

void Impacts::cancel_rewind(mjModel& m) {
  std::copy(own_margins_.begin(), own_margins_.end(), m.geom_margin);
  rewound_ = 0.0;
}

void Impacts::save_springs(const mjModel& m, mjData& d) {
  mju_copy(start_.data(), d.qvel, m.nv);
  mju_zero(d.qvel, m.nv);
  mj_passive(&m, &d);
  mju_copy(springs_.data(), d.qfrc_passive, m.nv);
  mju_copy(d.qvel, start_.data(), m.nv);
}

void Impacts::move(const mjModel& m, mjData& d, double time) {
  mju_copy(start_.data(), d.qvel, m.nv);
  mju_zero(force_.data(), m.nv);
  for (int i = 0; i < kMaxMoveIterations; ++i) {
    mju_copy(last_force_.data(), force_.data(), m.nv);
    mj_comVel(&m, &d);
    mj_rne(&m, &d, 0, d.qfrc_bias);
    mju_sub(force_.data(), springs_.data(), d.qfrc_bias, m.nv);
    mj_solveM(const_cast<mjModel*>(&m), &d, jump_.data(), force_.data(), 1);
    mju_addScl(d.qvel, start_.data(), jump_.data(), 0.5 * time, m.nv);  // the mean velocity
    mju_subFrom(last_force_.data(), force_.data(), m.nv);
    if (mju_norm(last_force_.data(), m.nv) <= kMoveAgreement * mju_norm(force_.data(), m.nv)) break;
  }
  mj_integratePos(&m, d.qpos, d.qvel, time);
  mju_addScl(d.qvel, start_.data(), jump_.data(), time, m.nv);
}

void Impacts::postpone(const ContactRules& rules, const mjModel& m, mjData& d) const {
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (contact.efc_address < 0 || !hits(rules, contact, normal_velocity(m, contact, d.efc_vel))) continue;
    std::fill_n(d.efc_aref + contact.efc_address, count_normal_rows(m, contact), kInactiveTarget);
  }
}

}  // namespace lockstep
