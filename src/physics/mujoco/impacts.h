#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "physics/mujoco/contact_rules.h"

namespace lockstep {

/// Impacts. A contact solved as a spring over a few steps bounces by chance: how much depends on where in the
/// step it began. So where bodies hit each other, velocities jump at the start of the step, by Newton's law for
/// the normal velocity and Coulomb's law for the impulse across, with the restitution e of the contact:
///
///     v_n+ = -e v_n-,     |p_t| <= mu p_n,     what else holds bodies together goes on holding.
///
/// An impact that spreads from body to body is resolved in rounds. A round takes the contacts that approach;
/// those that merely touch wait for a later one, unless they have no restitution and only hold. Each contact of a
/// round does the work 1/2 p_n (1 - e) v_n- <= 0. With friction Newton's law could still add energy (Kane's
/// paradox). Such a round is mixed with the one for e = 0, which never does, as far as is needed to add none. So
/// kinetic energy never grows by an impact.
///
/// A round is one more solution of MuJoCo's own constraint problem, with velocities in place of accelerations,
/// repeated until neither its softness nor the lift of its friction (ContactRules::level_sliding) is left. It
/// takes time only in steps in which something hits.
class Impacts {
 public:
  Impacts(const Model& model, const mjModel& m);

  bool any_hits(const ContactRules& rules, const mjModel& m, const mjData& d) const;

  /// Lets velocities jump if something hits, and returns whether. `d` describes an instant; afterwards its qvel
  /// is new and efc_force holds the impulses as forces over the step, and constraints and velocity stage must be
  /// made again.
  bool resolve(const ContactRules& rules, mjModel& m, mjData& d);

  /// An impact is noticed up to a step after bodies touched, when they are inside each other. To resolve it when
  /// they touched,
  ///
  ///     while (go_back()) …position and velocity stages…;
  ///     resolve(); go_on(); …position and velocity stages…
  ///
  /// moves everything as in free fall, there and back, so that nothing is gained by it. go_back() does nothing and
  /// returns false where nothing that hits overlaps, or a whole step further back.
  bool go_back(const ContactRules& rules, mjModel& m, mjData& d);
  void go_on(mjModel& m, mjData& d);
  /// Ends what go_back() began without moving anything, if something goes wrong in between.
  void give_up(mjModel& m);

  /// Inside a step of several stages: keeps contacts that have yet to hit from braking too early.
  void postpone(const ContactRules& rules, const mjModel& m, mjData& d) const;

 private:
  /// Kinetic energy that a jump adds, J: of the force with the velocity before it, and with half the jump.
  struct Gain {
    double of_force = 0.0;
    double of_jump = 0.0;
    double total() const { return of_force + of_jump; }
  };

  /// Whether a contact hits, at this normal velocity.
  bool hits(const ContactRules& rules, const mjContact& contact, double velocity) const;
  /// Which contacts take part in a round, and the velocity they leave with. False if nothing hits any more.
  bool prepare_round(const ContactRules& rules, const mjModel& m, const mjData& d);
  void prepare_last_round(const ContactRules& rules, const mjData& d);
  /// Lets velocities jump. False if no good solution was found, which leaves the rest to the step.
  bool take_round(const mjModel& m, mjData& d);
  /// Impulses and jump for the velocities asked for, times `share` where that means to leave.
  void solve(const mjModel& m, mjData& d, double share);
  void ask(const mjModel& m, mjData& d, double share) const;
  double calc_lift(const mjModel& m, const mjContact& contact) const;
  Gain calc_gain(const mjModel& m, const mjData& d) const;
  /// Adds as much of the other solution as takes no energy from nowhere.
  void mix(const mjModel& m, mjData& d, const Gain& other);
  void move(const mjModel& m, mjData& d, double time);

  double resting_speed_ = 0.0;   // slower contacts touch: they do not bounce, or nothing would ever lie still
  double stopping_speed_ = 0.0;  // contacts without restitution that are slower stop by themselves
  double since_ = 0.0;           // how far back go_back() went, s

  struct Part {
    bool active = false;
    double leaves = 0.0;  // normal velocity asked for, m/s
    double lift = 0.0;    // that MuJoCo would add to it
  };
  std::vector<Part> parts_;  // by contact
  // By degree of freedom:
  std::vector<double> warmstart_, jump_, force_, other_jump_, other_force_, acceleration_;
  // By row:
  std::vector<double> sum_, last_impulse_, other_impulse_, after_;
};

}  // namespace lockstep
