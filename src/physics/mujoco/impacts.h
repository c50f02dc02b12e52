#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "physics/mujoco/contact_rules.h"

namespace lockstep {

/// Impacts with restitution. The bounce of a contact that is solved as a spring over a few steps depends on
/// where in the step it began. So when bodies with restitution e collide, velocities jump at the start of the
/// step, by Newton's impact law for the normal velocity and Coulomb's law for the tangential impulse:
///
///     v_n+ = -e v_n-,     |p_t| <= mu p_n,     all other constraints still hold.
///
/// This solves MuJoCo's constraint problem once more, with velocities in place of accelerations, and costs time
/// only in steps with an impact.
class Impacts {
 public:
  Impacts(const Model& model, const mjModel& m);

  /// Applies the velocity jump if there is an impact, and returns whether there was one. `d` describes an
  /// instant; afterwards its qvel and qacc (the jump over the step) have changed, and position and velocity
  /// stages must run again from mj_makeConstraint() on.
  bool resolve(const ContactRules& rules, const mjModel& m, mjData& d);

  /// Within a multi-stage step: keeps contacts that are about to bounce from braking too early.
  void postpone(const ContactRules& rules, const mjModel& m, mjData& d) const;

 private:
  bool hits(const ContactRules& rules, const mjModel& m, const mjData& d, const mjContact& contact) const;

  double resting_speed_ = 0.0;  // m/s; slower contacts do not bounce, so that bodies come to rest
  std::vector<double> warmstart_;
};

}  // namespace lockstep
