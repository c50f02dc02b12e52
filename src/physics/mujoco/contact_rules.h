#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

#include "model/model.h"
#include "physics/mujoco/model_options.h"

/// What happens where two materials touch, in MuJoCo's words.
///
/// MuJoCo solves each contact as a spring and damper on the distance r, blended with the free motion by an
/// impedance d (0 … 1). With constant d and one free body the normal direction obeys
///
///     r'' = -k r - b r' + (1 - d) a0,       k = -solref[0], b = -solref[1] in the direct format,
///
/// and at rest carries f = k r / ((1 - d) w), with w the inverse mass MuJoCo sees at the contact. From these
/// two, the rules choose k, b and d for a wanted stiffness. Restitution without stiffness is a matter of
/// impacts.h.
namespace lockstep {

struct ContactRule {
  std::array<double, 5> friction{};  ///< two sliding, one turning, two rolling
  std::array<double, mjNREF> solref{};
  std::array<double, mjNIMP> solimp{};
  int dimension = 3;           ///< 1, 3, 4 or 6
  double stiffness = 0.0;      ///< N/m; 0: solref holds for every pair of bodies
  double damping_ratio = 1.0;  ///< with stiffness
  double restitution = 0.0;    ///< of impacts; 0 with stiffness, where the spring throws back
  bool impacts = false;        ///< whether velocities jump when it hits; otherwise its softness stops bodies
};

class ContactRules {
 public:
  ContactRules(const Model& model, const MujocoModelOptions& options);

  const ContactRule& rule(MaterialId a, MaterialId b) const { return rules_[index(a) * materials_ + index(b)]; }

  /// Tells which materials the geoms of a compiled model have; material by geom.
  void assign(std::vector<MaterialId> material_of_geom);

  /// Whether MuJoCo's own mixing of geom parameters would give anything else than these rules.
  bool differ_from_geoms() const { return differ_from_geoms_; }

  /// After mj_collision(): gives every contact the parameters of its pair.
  void apply(const mjModel& m, mjData& d) const;
  /// After mj_makeConstraint(): friction of springy contacts as firm as that of the others.
  void keep_friction_firm(const mjModel& m, mjData& d) const;

  /// After mj_fwdVelocity(): lets what slides stay on the ground.
  ///
  /// MuJoCo solves a convex problem in which a contact at the edge of its cone accelerates apart by
  /// sqrt(sum (mu_j r_j)^2), r_j being what friction lacks of its wish to stop the sliding at once (-B v_j). At
  /// 2 m/s and stiff contacts that is some 1000 m/s^2: bodies hop. Here the wish of the normal direction is
  /// lowered by as much (the correction of de Saxce, with the velocity at the start of the step).
  void level_sliding(mjData& d) const;

  /// After mj_fwdVelocity(): whether a contact asks bodies that overlap to leave each other faster than they
  /// should, and after mj_fwdConstraint(), with the accelerations of all rows: lowers what it asks for where they
  /// would do so. What carries a load does not leave, and may push as hard as it needs to.
  bool may_throw(const mjModel& m, const mjData& d) const;
  bool slow_down(const mjModel& m, mjData& d, const double* row_acceleration) const;

  bool any_impacts() const { return any_impacts_; }
  /// Whether results are to be those of plain mj_step() as far as possible.
  bool is_plain() const { return !level_sliding_; }
  const ContactRule& rule_of(const mjContact& contact) const {
    return rule(material_of_geom_[static_cast<std::size_t>(contact.geom1)],
                material_of_geom_[static_cast<std::size_t>(contact.geom2)]);
  }

 private:
  /// How much faster than it should a contact wants bodies to leave each other, m/s; not positive if it may.
  double calc_excess(const mjModel& m, const mjData& d, const mjContact& contact) const;
  double calc_slow_speed(const mjContact& contact, double velocity) const;
  double normal_of(const mjContact& contact, const double* rows) const;
  /// Sets solref and solimp of a rule with stiffness, for bodies of this inverse mass.
  void tune_spring(const ContactRule& rule, double inverse_mass, double* solref, double* solimp) const;

  std::size_t materials_ = 0;
  std::vector<ContactRule> rules_;
  std::vector<MaterialId> material_of_geom_;
  double step_ = 0.0;
  double impedance_ratio_ = 1.0;
  bool pyramidal_ = false;
  bool level_sliding_ = true;
  double slow_speed_ = 0.0;          ///< that gravity gives in one step, m/s
  double friction_damping_ = 0.0;    ///< B of an ordinary contact, 1/s
  double friction_impedance_ = 0.0;  ///< d of an ordinary contact
  bool differ_from_geoms_ = false;
  bool any_stiffness_ = false;
  bool any_impacts_ = false;
};

/// Damping ratio of a spring and damper that only pushes, for which a body leaves with `restitution` times the
/// speed it came with. Contact ends where the force would begin to pull, so (Schwager and Pöschel 2007)
///
///     ln e = -z (π - atan2(2 z s, 1 - 2 z²)) / s,     s = sqrt(1 - z²).
double calc_damping_ratio(double restitution);

}  // namespace lockstep
