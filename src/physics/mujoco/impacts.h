#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "physics/mujoco/contact_rules.h"

namespace lockstep {

/// Bounces. A contact solved as a spring over a few steps bounces by chance: how much depends on where in the
/// step it began. So where bodies with restitution e meet, velocities jump at the start of the step, by
/// Newton's law for the normal velocity and Coulomb's law for the impulse across:
///
///     v_n+ = -e v_n-,     |p_t| <= mu p_n,     everything else that holds bodies together goes on holding.
///
/// It is one more solution of MuJoCo's own constraint problem, with velocities in place of accelerations, and
/// takes time only in steps in which something hits.
class Impacts {
 public:
  Impacts(const Model& model, const mjModel& m);

  /// Lets velocities jump if something hits, and returns whether. `d` describes an instant; afterwards its qvel
  /// and qacc (the jump over the step) are new, and position and velocity stages must run again from
  /// mj_makeConstraint() on.
  bool resolve(const ContactRules& rules, const mjModel& m, mjData& d);

  /// Inside a step of several stages: keeps contacts that have yet to hit from braking too early.
  void postpone(const ContactRules& rules, const mjModel& m, mjData& d) const;

 private:
  bool hits(const ContactRules& rules, const mjModel& m, const mjData& d, const mjContact& contact) const;

  double resting_speed_ = 0.0;  // slower contacts do not bounce, or nothing would ever lie still
  std::vector<double> warmstart_;
};

}  // namespace lockstep
