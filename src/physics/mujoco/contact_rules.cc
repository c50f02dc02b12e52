#include "physics/mujoco/contact_rules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep {
namespace {

/// Impedance of contacts with a given stiffness, where the step allows. Small, so that the static stiffness,
/// which carries a resting body, and the dynamic one, which stops a falling body, differ only by this fraction.
constexpr double kSpringImpedance = 0.05;

/// This many parallel springs under one body must still be stable.
constexpr double kParallelSprings = 8.0;

/// A contact with the shortest time constant, two steps, and a damping ratio below this bounces by itself, with
/// up to a quarter of the impact speed (measured).
constexpr double kMinBounceDamping = 2.0;

/// Highest frequency of a contact times the step, as in MuJoCo, whose time constants are at least two steps.
constexpr double kMaxFrequency = 0.5;

/// Overlapping bodies separate within this number of steps at the latest, so that they do so without gravity too,
/// and gain no significant energy.
constexpr double kMaxSeparationSteps = 1e5;

/// Reduction of a reference acceleration that deactivates a contact row, m/s^2.
constexpr double kDeactivation = 1e9;

/// Speeds below this are rounding errors, m/s.
constexpr double kSpeedRounding = 1e-9;

int calc_dimension(const ContactModel& contact) {
  if (contact.rolling_friction > 0.0) return 6;
  if (contact.torsional_friction > 0.0) return 4;
  return contact.friction > 0.0 ? 3 : 1;
}

/// Impedance d for a spring of x = K w step^2. Together, n contacts damp with n b / (1 + (n - 1) d), which the
/// step must resolve: with b = 2 sqrt(k), k = (1 - d) K w, that is x (1 - d) <= ((1 + (n - 1) d) / 2n)^2.
double calc_spring_impedance(double x) {
  constexpr double n = kParallelSprings, m = n - 1.0, c = 4.0 * n * n;
  const double p = 2.0 * m + c * x;
  const double d = (-p + std::sqrt(p * p + 4.0 * m * m * (c * x - 1.0))) / (2.0 * m * m);
  return std::isnan(d) ? kSpringImpedance : std::clamp(d, kSpringImpedance, mjMAXIMP);
}

}  // namespace

double calc_damping_ratio(double restitution) {
  if (restitution >= 1.0) return 0.0;
  const auto calc_restitution = [](double z) {
    const double s = std::sqrt(1.0 - z * z);
    return std::exp(-z / s * (std::numbers::pi - std::atan2(2.0 * z * s, 1.0 - 2.0 * z * z)));
  };
  double low = 0.0, high = 1.0 - 1e-9;  // restitution falls as the ratio grows
  if (restitution <= calc_restitution(high)) return 1.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (calc_restitution(middle) > restitution ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

ContactRules::ContactRules(const Model& model, const MujocoModelOptions& model_options)
    : materials_(model.materials.size()) {
  const MujocoOptions& options = model_options.all;
  step_ = to_seconds(model.step);
  impedance_ratio_ = options.friction_impedance_ratio;
  pyramidal_ = options.cone == FrictionCone::kPyramidal;
  level_sliding_ = options.level_sliding;
  separation_speed_ = step_ * model.gravity.norm();
  const double time_constant = model.engine.contact_time_constant.value_or(2.0 * step_);
  friction_damping_ = 2.0 / (options.contact_impedance[1] * std::max(time_constant, 2.0 * step_));
  friction_impedance_ = std::clamp(options.contact_impedance[0], mjMINIMP, mjMAXIMP);

  for (std::size_t i = 0; i < model.contacts.size(); ++i) {
    const ContactModel& contact = model.contacts[i];
    ContactRule rule;
    const auto at_least = [](double friction) { return std::max(friction, mjMINMU); };
    rule.friction = {at_least(contact.friction), at_least(contact.friction),
                     at_least(contact.torsional_friction), at_least(contact.rolling_friction),
                     at_least(contact.rolling_friction)};
    rule.dimension = calc_dimension(contact);
    const Firmness& firmness = contact.firmness;
    const std::vector<double>& fallback = options.contact_impedance;
    const Vec3 impedance =
        model_options.contacts[i].impedance.value_or(Vec3(fallback[0], fallback[1], fallback[2]));
    rule.margin = model_options.contacts[i].margin;
    rule.reach = rule.margin - model_options.contacts[i].gap;
    rule.solref = {firmness.time_constant.value_or(time_constant),
                   firmness.damping_ratio.value_or(model.engine.contact_damping_ratio)};
    rule.solimp = {impedance[0], impedance[1], impedance[2], 0.5, 2.0};
    if (contact.stiffness) {
      rule.stiffness = *contact.stiffness;
      rule.damping_ratio = calc_damping_ratio(contact.restitution);
      tune_spring(rule, 1.0, rule.solref.data(), rule.solimp.data());
    } else if (contact.restitution > 0.0) {
      rule.restitution = contact.restitution;
      rule.solref[1] = std::max(rule.solref[1], kMinBounceDamping);
      rule.impacts = true;
    } else {
      rule.impacts = level_sliding_ && rule.solref[0] <= 2.0 * step_;
    }
    rules_.push_back(rule);
  }
}

double ContactRules::calc_margin(MaterialId material) const {
  double margin = rule(material, material).margin;
  for (std::size_t other = 0; other < materials_; ++other) {
    const MaterialId id{static_cast<int>(other)};
    // Of two geoms, one with the margin is enough.
    if (rule(material, id).margin > rule(id, id).margin) margin = std::max(margin, rule(material, id).margin);
  }
  return margin;
}

void ContactRules::assign(std::vector<MaterialId> material_of_geom) {
  material_of_geom_ = std::move(material_of_geom);
  std::vector<MaterialId> used = material_of_geom_;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  differ_from_geoms_ = used.size() > 1;
  for (const MaterialId a : used) {
    for (const MaterialId b : used) {
      any_stiffness_ |= rule(a, b).stiffness > 0.0;
      any_impacts_ |= rule(a, b).impacts;
      any_margin_ |= rule(a, b).margin > 0.0;
    }
  }
  differ_from_geoms_ |= any_stiffness_ || any_margin_;
}

void ContactRules::tune_spring(const ContactRule& rule, double inverse_mass, double* solref,
                               double* solimp) const {
  double K = rule.stiffness;
  if (pyramidal_ && rule.dimension > 1) {
    // Each of the 2 (dimension - 1) edges of the pyramid is such a spring, with its own R.
    const double mu = rule.friction[0];
    K *= mu * mu / impedance_ratio_ * (1.0 + mu * mu) / (rule.dimension - 1);
  }
  const double d = calc_spring_impedance(K * inverse_mass * step_ * step_);
  const double highest = kMaxFrequency / step_;
  const double k = std::min(K * (1.0 - d) * inverse_mass, highest * highest);
  solref[0] = -k;
  solref[1] = -2.0 * rule.damping_ratio * std::sqrt(k);
  solimp[0] = solimp[1] = d;
}

void ContactRules::apply(const mjModel& m, mjData& d) const {
  for (int i = 0; i < d.ncon; ++i) {
    mjContact& contact = d.contact[i];
    const ContactRule& rule = rule_of(contact);
    std::copy(rule.friction.begin(), rule.friction.end(), contact.friction);
    std::copy(rule.solref.begin(), rule.solref.end(), contact.solref);
    std::copy(rule.solimp.begin(), rule.solimp.end(), contact.solimp);
    contact.dim = rule.dimension;
    if (any_margin_) {
      contact.includemargin = rule.reach;
      if (contact.dist >= rule.reach) contact.exclude = 1;
    }
    if (rule.stiffness > 0.0) {
      const double inverse_mass = m.body_invweight0[2 * m.geom_bodyid[contact.geom1]] +
                                  m.body_invweight0[2 * m.geom_bodyid[contact.geom2]];
      tune_spring(rule, inverse_mass, contact.solref, contact.solimp);
    }
  }
}

void ContactRules::stiffen_friction(const mjModel& m, mjData& d) const {
  if (!any_stiffness_ || pyramidal_) return;  // a pyramid has no separate friction rows
  for (int i = 0; i < d.ncon; ++i) {
    mjContact& contact = d.contact[i];
    const int row = contact.efc_address;
    if (row < 0 || contact.dim < 3 || rule_of(contact).stiffness == 0.0) continue;

    // The regularisation of a contact without stiffness in the first sliding direction. The others follow from
    // MuJoCo's rule R[j] mu[j]^2 = const, and so does mu of the regularised cone.
    const double inverse_mass = m.body_invweight0[2 * m.geom_bodyid[contact.geom1]] +
                                m.body_invweight0[2 * m.geom_bodyid[contact.geom2]];
    const double firm = (1.0 - friction_impedance_) / friction_impedance_ * inverse_mass / impedance_ratio_;
    const double R1 = std::max(mjMINVAL, std::min(d.efc_R[row + 1], firm));
    contact.mu = contact.friction[0] * std::sqrt(R1 / d.efc_R[row]);
    for (int j = 1; j < contact.dim; ++j) {
      const double ratio = contact.friction[0] / contact.friction[j - 1];
      d.efc_R[row + j] = R1 * ratio * ratio;
      d.efc_D[row + j] = 1.0 / d.efc_R[row + j];
      d.efc_KBIP[4 * (row + j) + 1] = friction_damping_;
    }
  }
}

void ContactRules::level_sliding(mjData& d) const {
  if (!level_sliding_) return;
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    const int row = contact.efc_address;
    if (row < 0 || contact.dim < 3) continue;
    double* aref = d.efc_aref + row;
    if (pyramidal_) {
      // Two edges n + mu_j t_j and n - mu_j t_j per direction; half the difference of their reference
      // accelerations is that along mu_j t_j.
      const int edges = 2 * (contact.dim - 1);
      double lift = 0.0;
      for (int j = 0; j < edges; j += 2) lift = std::max(lift, 0.5 * std::abs(aref[j] - aref[j + 1]));
      for (int j = 0; j < edges; ++j) aref[j] -= lift;
    } else {
      double squares = 0.0;
      for (int j = 1; j < contact.dim; ++j) {
        const double lift = contact.friction[j - 1] * aref[j];
        squares += lift * lift;
      }
      aref[0] -= std::sqrt(squares);
    }
  }
}

double ContactRules::calc_excess(const mjModel& m, const mjData& d, const mjContact& contact) const {
  if (contact.efc_address < 0 || contact.dist >= 0.0 || !rule_of(contact).impacts) return 0.0;
  // MuJoCo's reference acceleration is -b v - k r.
  const double* kbip = d.efc_KBIP + 4 * static_cast<std::ptrdiff_t>(contact.efc_address);
  const double velocity = normal_component(contact, d.efc_vel);
  const double reference = -kbip[1] * velocity - kbip[0] * kbip[2] * contact.dist;
  return velocity + m.opt.timestep * reference - calc_separation_limit(contact, velocity);
}

double ContactRules::calc_separation_limit(const mjContact& contact, double velocity) const {
  return std::max({velocity, separation_speed_, -contact.dist / (kMaxSeparationSteps * step_)});
}

double ContactRules::normal_component(const mjContact& contact, const double* rows) const {
  const double* row = rows + contact.efc_address;
  // The first two rows of a pyramid are normal plus and minus friction.
  return pyramidal_ && contact.dim > 1 ? 0.5 * (row[0] + row[1]) : row[0];
}

bool ContactRules::may_separate_too_fast(const mjModel& m, const mjData& d) const {
  for (int i = 0; i < d.ncon; ++i) {
    if (calc_excess(m, d, d.contact[i]) > 0.0) return true;
  }
  return false;
}

bool ContactRules::limit_separation(const mjModel& m, mjData& d, const double* row_acceleration) const {
  bool any = false;
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (calc_excess(m, d, contact) <= 0.0) continue;
    const double velocity = normal_component(contact, d.efc_vel);
    const double excess = velocity + m.opt.timestep * normal_component(contact, row_acceleration) -
                          calc_separation_limit(contact, velocity);
    if (excess <= kSpeedRounding) continue;
    const int rows = pyramidal_ && contact.dim > 1 ? 2 * (contact.dim - 1) : 1;
    // A contact that separates anyway needs no force.
    const double reduction = velocity > separation_speed_ ? kDeactivation : excess / m.opt.timestep;
    for (int j = 0; j < rows; ++j) d.efc_aref[contact.efc_address + j] -= reduction;
    any = true;
  }
  return any;
}

}  // namespace lockstep
