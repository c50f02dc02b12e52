#include "physics/mujoco/impacts.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// During an impact contacts are made so much harder, so that hardly any of the bounce is lost to their
/// softness.
constexpr double kHarder = 0.01;

/// In multiples of the speed that gravity gives in one step.
constexpr double kRestingSteps = 4.0;

/// Acceleration away from the contact that no force can be needed for.
constexpr double kLeaving = -1e9;

int count_rows(const mjModel& m, const mjContact& contact) {
  if (contact.dim == 1) return 1;
  return m.opt.cone == mjCONE_PYRAMIDAL ? 2 * (contact.dim - 1) : contact.dim;
}

/// Rows in which the normal velocity takes part: all of a pyramid, the first of a cone.
int count_normal_rows(const mjModel& m, const mjContact& contact) {
  return m.opt.cone == mjCONE_PYRAMIDAL ? count_rows(m, contact) : 1;
}

/// Speed along the normal, positive when leaving.
double normal_velocity(const mjModel& m, const mjData& d, const mjContact& contact) {
  const double* velocity = d.efc_vel + contact.efc_address;
  // The first two rows of a pyramid are normal plus and minus friction.
  return m.opt.cone == mjCONE_PYRAMIDAL && contact.dim > 1 ? 0.5 * (velocity[0] + velocity[1]) : velocity[0];
}

/// Speed to leave with. An impact is noticed a little below the surface, where gravity g has gained speed and
/// will take some back on the way out: v+^2 = e^2 (v-^2 - 2 g r) + 2 g r makes it right at the surface.
double calc_bounce(const mjModel& m, const mjContact& contact, double velocity, double restitution) {
  const auto moves = [&](int geom) { return m.body_weldid[m.geom_bodyid[geom]] == 0 ? 0.0 : 1.0; };
  // Towards the contact; two bodies in free fall do not gain speed against each other.
  const double gravity = mju_dot3(m.opt.gravity, contact.frame) * (moves(contact.geom1) - moves(contact.geom2));
  const double gained = std::min(2.0 * gravity * -contact.dist, velocity * velocity);
  return std::sqrt(std::max(0.0, restitution * restitution * (velocity * velocity - gained) + gained));
}

}  // namespace

Impacts::Impacts(const Model& model, const mjModel& m)
    : resting_speed_(kRestingSteps * to_seconds(model.step) * model.gravity.norm()),
      warmstart_(static_cast<std::size_t>(m.nv)) {}

bool Impacts::hits(const ContactRules& rules, const mjModel& m, const mjData& d,
                   const mjContact& contact) const {
  return contact.efc_address >= 0 && rules.rule_of(contact).restitution > 0.0 &&
         normal_velocity(m, d, contact) < -resting_speed_;
}

bool Impacts::resolve(const ContactRules& rules, const mjModel& m, mjData& d) {
  bool any = false;
  for (int i = 0; i < d.ncon && !any; ++i) any = hits(rules, m, d, d.contact[i]);
  if (!any) return false;

  // Every row asks for rest after one step; those of impacts for the velocity of the bounce.
  const double step = m.opt.timestep;
  for (int row = 0; row < d.nefc; ++row) d.efc_aref[row] = -d.efc_vel[row] / step;
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (!hits(rules, m, d, contact)) continue;
    const double bounce =
        calc_bounce(m, contact, normal_velocity(m, d, contact), rules.rule_of(contact).restitution);
    for (int j = 0; j < count_normal_rows(m, contact); ++j)
      d.efc_aref[contact.efc_address + j] += bounce / step;
    for (int j = 0; j < count_rows(m, contact); ++j) {
      d.efc_R[contact.efc_address + j] *= kHarder;
      d.efc_D[contact.efc_address + j] /= kHarder;
    }
  }
  mj_projectConstraint(&m, &d);

  // Only what holds bodies apart and together acts in an instant. The next step starts from its own guess.
  mju_zero(d.qfrc_smooth, m.nv);
  mju_zero(d.qacc_smooth, m.nv);
  mju_copy(warmstart_.data(), d.qacc_warmstart, m.nv);
  mj_fwdConstraint(&m, &d);
  mju_copy(d.qacc_warmstart, warmstart_.data(), m.nv);
  mju_addToScl(d.qvel, d.qacc, step, m.nv);
  return true;
}

void Impacts::postpone(const ContactRules& rules, const mjModel& m, mjData& d) const {
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (!hits(rules, m, d, contact)) continue;
    std::fill_n(d.efc_aref + contact.efc_address, count_normal_rows(m, contact), kLeaving);
  }
}

}  // namespace lockstep
