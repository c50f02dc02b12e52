#include "physics/mujoco/stiff_damping.h"

#include <algorithm>

namespace lockstep {
namespace {

/// Largest h M^-1 D of explicit stages. With the implicit part the sum is at most larger by one, and the classic
/// fourth-order method is stable up to 2.78.
constexpr double kMaxExplicit = 1.0;

}  // namespace

StiffDamping::StiffDamping(const mjModel& m)
    : has_damping_(std::any_of(m.dof_damping, m.dof_damping + m.nv, [](double x) { return x > 0.0; })),
      excess_(static_cast<std::size_t>(m.nv)),
      mass_(static_cast<std::size_t>(m.nM)),
      factor_(static_cast<std::size_t>(m.nM)),
      inverse_(static_cast<std::size_t>(m.nv)),
      root_(static_cast<std::size_t>(m.nv)),
      matrix_(m) {}

void StiffDamping::begin(const mjModel& m, const mjData& d) {
  if (!has_damping_) return;
  matrix_.set_to_mass(m, d);
  const std::span damping(m.dof_damping, static_cast<std::size_t>(m.nv));
  is_stiff_ = matrix_.find_excess(m, damping, m.opt.timestep / kMaxExplicit, excess_);
}

void StiffDamping::adjust(const mjModel& m, mjData& d, DrivenJoints& driven) {
  if (!is_stiff_) return;
  matrix_.set_to_mass(m, d);
  matrix_.add_to_diagonal(m, excess_, m.opt.timestep);
  matrix_.factorise(m);
  mju_add(d.qacc, d.qfrc_smooth, d.qfrc_constraint, m.nv);
  driven.make_relative(excess_, m.opt.timestep, d.qacc);
  matrix_.solve(m, d.qacc);
  driven.make_absolute(d.qacc);
}

StiffDamping::Heavier::Heavier(StiffDamping& owner, const mjModel& m, mjData& d,
                               std::span<const double> damping)
    : owner_(owner), m_(m), d_(d) {
  std::copy_n(d.qM, m.nM, owner.mass_.begin());
  std::copy_n(d.qLD, m.nM, owner.factor_.begin());
  std::copy_n(d.qLDiagInv, m.nv, owner.inverse_.begin());
  std::copy_n(d.qLDiagSqrtInv, m.nv, owner.root_.begin());
  for (int i = 0; i < m.nv; ++i) d.qM[m.dof_Madr[i]] += m.opt.timestep * damping[static_cast<std::size_t>(i)];
  mj_factorM(&m, &d);
  mj_projectConstraint(&m, &d);
}

StiffDamping::Heavier::~Heavier() {
  std::copy_n(owner_.mass_.begin(), m_.nM, d_.qM);
  std::copy_n(owner_.factor_.begin(), m_.nM, d_.qLD);
  std::copy_n(owner_.inverse_.begin(), m_.nv, d_.qLDiagInv);
  std::copy_n(owner_.root_.begin(), m_.nv, d_.qLDiagSqrtInv);
}

}  // namespace lockstep
