#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/model_options.h"

/// How two materials become the parameters of a MuJoCo contact.
///
/// 1. The model (model/build.cc) combines materials a and b into one ContactModel. A <material_pair> replaces
///    every value that it gives:
///
///     friction, torsional_friction, rolling_friction   geometric mean sqrt(x_a x_b)
///     restitution                                      larger of both
///     stiffness                                        springs in series, K_a K_b / (K_a + K_b); if only one
///                                                      material has a stiffness, that one
///     collide, time_constant, damping_ratio            only from <material_pair>
///
/// 2. ContactRules translates each ContactModel into a ContactRule, once per pair of materials:
///
///     friction, torsional_, rolling_friction  friction = {f, f, torsional, rolling, rolling}
///     which of them are above 0               dim: 6 with rolling, 4 with torsional, 3 with sliding, else 1
///     no stiffness                            solref = {time constant, damping ratio}: of the pair, else of
///                                             <engine>, else two steps; solimp from <mujoco>, likewise
///       with restitution                      damping ratio at least 2; the bounce itself is in impacts.h
///     stiffness K with restitution e          solref = {-k, -b} and solimp = {d, d, …}, see below; b gives e
///     margin, gap of <mujoco>                 margin of the geoms, and includemargin = margin - gap
///     collide = false                         no contact at all (collision_groups.h)
///
/// 3. apply() writes the rule of the two geoms' materials into every mjContact after collision detection,
///    because MuJoCo itself would mix the parameters of geoms by other rules (largest friction).
///
/// Stiffness: MuJoCo solves each contact as a spring and damper on the distance r, blended with the free motion
/// by an impedance d (0 … 1). With constant d and one free body the motion along the normal is
///
///     r'' = -k r - b r' + (1 - d) a0,       k = -solref[0], b = -solref[1] in the direct format,
///
/// and at rest the contact carries f = k r / ((1 - d) w), with w the inverse mass that MuJoCo uses at the
/// contact. For a stiffness K = f / r that gives k = (1 - d) K w and b = 2 z sqrt(k), with the damping ratio z
/// of calc_damping_ratio(e). w depends on the two bodies, so apply() computes k, b and d for each contact.
namespace lockstep {

struct ContactRule {
  std::array<double, 5> friction{};  ///< two sliding, one torsional (m), two rolling (m)
  std::array<double, mjNREF> solref{};
  std::array<double, mjNIMP> solimp{};
  int dimension = 3;           ///< 1, 3, 4 or 6
  double stiffness = 0.0;      ///< N/m; 0: solref applies to every pair of bodies
  double damping_ratio = 1.0;  ///< with stiffness
  double restitution = 0.0;    ///< of impacts; 0 with stiffness, where the spring itself bounces
  double margin = 0.0;         ///< distance at which contacts are found, m
  double reach = 0.0;          ///< distance below which they exert a force, m: MuJoCo's margin - gap
  bool impacts = false;        ///< whether velocities jump on impact; otherwise its softness stops the bodies
};

class ContactRules {
 public:
  ContactRules(const Model& model, const MujocoModelOptions& options);

  const ContactRule& rule(MaterialId a, MaterialId b) const { return rules_[index(a) * materials_ + index(b)]; }

  /// MuJoCo's margin of geoms of this material. MuJoCo uses the larger one of two geoms, which is at least that of
  /// their rule.
  double calc_margin(MaterialId material) const;

  /// Sets the materials of the geoms of a compiled model, by geom.
  void assign(std::vector<MaterialId> material_of_geom);

  /// Whether MuJoCo's own mixing of geom parameters would differ from these rules.
  bool differ_from_geoms() const { return differ_from_geoms_; }

  /// After mj_collision(): sets the parameters of every contact.
  void apply(const mjModel& m, mjData& d) const;
  /// After mj_makeConstraint(): makes the friction of contacts with a stiffness as stiff as that of the others.
  void stiffen_friction(const mjModel& m, mjData& d) const;

  /// After mj_fwdVelocity(): keeps sliding bodies on the ground.
  ///
  /// MuJoCo solves a convex problem in which a contact at the edge of its friction cone separates with an
  /// acceleration of sqrt(sum (mu_j r_j)^2), where r_j is how far friction falls short of its reference
  /// acceleration -B v_j, which would stop the sliding at once. At 2 m/s and stiff contacts that is some
  /// 1000 m/s^2: bodies hop. This lowers the reference acceleration along the normal by the same amount (the
  /// correction of de Saxcé, with the velocity at the start of the step).
  void level_sliding(mjData& d) const;

  /// After mj_fwdVelocity(): whether the reference acceleration of a contact would separate overlapping bodies
  /// too fast.
  bool may_separate_too_fast(const mjModel& m, const mjData& d) const;
  /// After mj_fwdConstraint(), with the accelerations of all rows: lowers the reference accelerations of contacts
  /// that do separate too fast, and returns whether there are any. A contact that carries a load does not
  /// separate, and its force is not limited.
  bool limit_separation(const mjModel& m, mjData& d, const double* row_acceleration) const;

  bool any_impacts() const { return any_impacts_; }
  /// Whether results should be those of plain mj_step() as far as possible.
  bool is_plain() const { return !level_sliding_; }
  const ContactRule& rule_of(const mjContact& contact) const {
    return rule(material_of_geom_[static_cast<std::size_t>(contact.geom1)],
                material_of_geom_[static_cast<std::size_t>(contact.geom2)]);
  }

 private:
  /// How far a contact's reference acceleration exceeds the separation limit, m/s; not positive if it does not.
  double calc_excess(const mjModel& m, const mjData& d, const mjContact& contact) const;
  double calc_separation_limit(const mjContact& contact, double velocity) const;
  double normal_component(const mjContact& contact, const double* rows) const;
  /// Sets solref and solimp of a rule with stiffness, for bodies of this inverse mass (1/kg).
  void tune_spring(const ContactRule& rule, double inverse_mass, double* solref, double* solimp) const;

  std::size_t materials_ = 0;
  std::vector<ContactRule> rules_;
  std::vector<MaterialId> material_of_geom_;
  double step_ = 0.0;
  double impedance_ratio_ = 1.0;
  bool pyramidal_ = false;
  bool level_sliding_ = true;
  double separation_speed_ = 0.0;    ///< speed that gravity adds in one step, m/s
  double friction_damping_ = 0.0;    ///< B of an ordinary contact, 1/s
  double friction_impedance_ = 0.0;  ///< d of an ordinary contact
  bool differ_from_geoms_ = false;
  bool any_stiffness_ = false;
  bool any_impacts_ = false;
  bool any_margin_ = false;
};

/// Damping ratio z of a spring and damper that only pushes, for which a body rebounds with `restitution` e
/// times its impact speed. Contact ends where the force would start to pull, so (Schwager and Pöschel 2007)
///
///     ln e = -z (π - atan2(2 z s, 1 - 2 z²)) / s,     s = sqrt(1 - z²).
double calc_damping_ratio(double restitution);

}  // namespace lockstep
