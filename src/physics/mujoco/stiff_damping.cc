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

}  // namespace lockstep
