#include "physics/mujoco/impacts.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// Factor on the regularisation of contacts during an impact, so that softness takes hardly any of the bounce.
constexpr double kRegularisationFactor = 0.01;

/// Resting speed, in multiples of the speed that gravity adds in one step.
constexpr double kRestingSteps = 4.0;

/// Reference acceleration that deactivates a contact row.
constexpr double kInactiveAcceleration = -1e9;

int count_rows(const mjModel& m, const mjContact& contact) {
  if (contact.dim == 1) return 1;
  return m.opt.cone == mjCONE_PYRAMIDAL ? 2 * (contact.dim - 1) : contact.dim;
}

/// Rows that contain the normal velocity: all of a pyramid, the first of an elliptic cone.
int count_normal_rows(const mjModel& m, const mjContact& contact) {
  return m.opt.cone == mjCONE_PYRAMIDAL ? count_rows(m, contact) : 1;
}

/// Speed along the normal, positive when leaving.
double normal_velocity(const mjModel& m, const mjData& d, const mjContact& contact) {
  const double* velocity = d.efc_vel + contact.efc_address;
  // The first two rows of a pyramid are normal plus and minus friction.
  return m.opt.cone == mjCONE_PYRAMIDAL && contact.dim > 1 ? 0.5 * (velocity[0] + velocity[1]) : velocity[0];
}

/// Rebound speed. An impact is detected slightly below the surface, where gravity g has added speed and will
/// take some on the way out: v+^2 = e^2 (v-^2 - 2 g r) + 2 g r is exact at the surface.
double calc_bounce(const mjModel& m, const mjContact& contact, double velocity, double restitution) {
  const auto moves = [&](int geom) { return m.body_weldid[m.geom_bodyid[geom]] == 0 ? 0.0 : 1.0; };
  // Towards the contact; two bodies in free fall gain no relative speed.
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

  // The target of every row is rest after one step; for impacts it is the rebound velocity.
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
      d.efc_R[contact.efc_address + j] *= kRegularisationFactor;
      d.efc_D[contact.efc_address + j] /= kRegularisationFactor;
    }
  }
  mj_projectConstraint(&m, &d);

  // Only constraint impulses act in an instant. The next step keeps its own warm start.
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
    std::fill_n(d.efc_aref + contact.efc_address, count_normal_rows(m, contact), kInactiveAcceleration);
  }
}

}  // namespace lockstep
