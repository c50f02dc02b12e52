#include "physics/mujoco/stiff_damping.h"

namespace lockstep {
namespace {

/// Largest h M^-1 D of explicit stages. With the implicit part the sum is at most larger by one, and the classic
/// fourth-order method is stable up to 2.78.
constexpr double kMaxExplicit = 1.0;

/// Bound of h M^-1 D in the reference configuration below which damping is not stiff in any other one: inertias would
/// have to be fifty times smaller there.
constexpr double kNeverStiff = 0.02;

bool may_be_stiff(const mjModel& m) {
  double bound = 0.0;  // the trace is at least the largest eigenvalue
  for (int i = 0; i < m.nv; ++i) bound += m.opt.timestep * m.dof_damping[i] * m.dof_invweight0[i];
  return bound > kNeverStiff;
}

}  // namespace

StiffDamping::StiffDamping(const mjModel& m)
    : may_be_stiff_(may_be_stiff(m)),
      excess_(static_cast<std::size_t>(m.nv)),
      mass_(static_cast<std::size_t>(m.nM)),
      factor_(static_cast<std::size_t>(m.nM)),
      inverse_(static_cast<std::size_t>(m.nv)),
      root_(static_cast<std::size_t>(m.nv)),
      matrix_(m) {}

void StiffDamping::begin(const mjModel& m, const mjData& d) {
  if (!may_be_stiff_) return;
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
