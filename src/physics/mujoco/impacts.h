#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "physics/mujoco/contact_rules.h"

namespace lockstep {

/// Impacts. The bounce of a contact that is solved as a spring over a few steps depends on where in the step it
/// began. So when bodies collide, velocities jump at the start of the step, by Newton's impact law for the
/// normal velocity and Coulomb's law for the tangential impulse, with the restitution e of the contact:
///
///     v_n+ = -e v_n-,     |p_t| <= mu p_n,     all other constraints still hold.
///
/// An impact that spreads from body to body is resolved in rounds. A round solves the contacts that approach;
/// contacts that only touch wait for a later round, unless they have no restitution and only hold. Each contact
/// of a round does the work 1/2 p_n (1 - e) v_n- <= 0. With friction, Newton's law could still add energy (Kane's
/// paradox). Such a round is blended with the solution for e = 0, which never adds energy, until the sum adds
/// none. So an impact never increases the kinetic energy.
///
/// A round solves MuJoCo's constraint problem with velocities in place of accelerations, repeatedly, until the
/// softness of the constraints and the lift of their friction (ContactRules::level_sliding) are compensated. It
/// costs time only in steps with an impact.
class Impacts {
 public:
  Impacts(const Model& model, const mjModel& m);
  void fit_capacity(const mjModel& m);  ///< after the capacity of the solver has grown

  bool any_hits(const ContactRules& rules, const mjModel& m, const mjData& d) const;

  /// Applies the velocity jumps if there is an impact, and returns whether there was one. `d` describes an
  /// instant; afterwards its qvel has changed and efc_force holds the impulses as forces over the step, and
  /// constraints and velocity stage must run again.
  bool resolve(const ContactRules& rules, mjModel& m, mjData& d);

  /// An impact is detected up to one step after bodies touched, when they overlap. To resolve it at the time of
  /// touch,
  ///
  ///     while (rewind()) …position and velocity stages…;
  ///     resolve(); return_to_now(); …position and velocity stages…
  ///
  /// moves everything as in free fall, back and forth, so that the detour itself adds nothing. Dampers are omitted:
  /// their forces from before an impact would do work on the velocities after it. rewind() does nothing and returns
  /// false if no colliding bodies overlap, or if it is already one step back.
  bool rewind(const ContactRules& rules, mjModel& m, mjData& d);
  void return_to_now(mjModel& m, mjData& d);
  /// Ends a rewind() without moving anything, if something fails in between.
  void cancel_rewind(mjModel& m);

  /// Within a multi-stage step: keeps contacts that are about to collide from braking too early.
  void postpone(const ContactRules& rules, const mjModel& m, mjData& d) const;

 private:
  /// Kinetic energy that a jump adds, J: the work of the impulse on the velocity before, and on half the jump.
  struct Gain {
    double of_force = 0.0;
    double of_jump = 0.0;
    double total() const { return of_force + of_jump; }
  };

  /// Whether a contact with this normal velocity collides.
  bool hits(const ContactRules& rules, const mjContact& contact, double velocity) const;
  /// Selects the contacts of a round and their rebound velocities. False if no contact collides any more.
  bool prepare_round(const ContactRules& rules, const mjModel& m, const mjData& d);
  void prepare_last_round(const ContactRules& rules, const mjData& d);
  /// Applies the velocity jumps of a round. False if no good solution was found; the step then handles the rest.
  bool take_round(const mjModel& m, mjData& d);
  /// Impulses and jump for the target velocities, with rebound velocities scaled by `rebound_factor`.
  void solve(const mjModel& m, mjData& d, double rebound_factor);
  void set_targets(const mjModel& m, mjData& d, double rebound_factor) const;
  double calc_lift(const mjModel& m, const mjContact& contact) const;
  Gain calc_gain(const mjModel& m, const mjData& d) const;
  /// Adds as much of the other solution as is possible without adding energy.
  void blend(const mjModel& m, mjData& d, const Gain& other);
  /// Forces that the passive elements exert at rest.
  void save_springs(const mjModel& m, mjData& d);
  /// Moves everything by the time as in free fall, by the midpoint rule: a free body that rotates keeps its energy.
  void move(const mjModel& m, mjData& d, double time);

  double resting_speed_ = 0.0;   // m/s; slower contacts touch and do not bounce, so that bodies come to rest
  double stopping_speed_ = 0.0;  // m/s; slower contacts without restitution are stopped by their softness
  double rewound_ = 0.0;         // time that rewind() went back, s

  std::vector<double> own_margins_;  // by geom, m

  struct RoundContact {
    bool active = false;
    double rebound = 0.0;  // target normal velocity, m/s
    double lift = 0.0;     // that MuJoCo would add to it
  };
  std::vector<RoundContact> round_;  // by contact
  // By degree of freedom:
  std::vector<double> warmstart_, jump_, force_, other_jump_, other_force_, springs_, start_, last_force_;
  // By row:
  std::vector<double> sum_, last_impulse_, other_impulse_, after_;
};

}  // namespace lockstep
