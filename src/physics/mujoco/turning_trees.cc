#include "physics/mujoco/turning_trees.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {
namespace {

/// Relative change of velocities in one step, in the norm of kinetic energy, below which a tree is slow: a million
/// steps with smaller Coriolis forces change the energy by one percent at most.
constexpr double kSlow = 1e-4;
/// Speed below which a tree is at rest and its velocities are rounding errors, m/s.
constexpr double kAtRest = 1e-9;
/// Relative change at which iterations have converged: 0.1 percent of the energy in a million steps.
constexpr double kSmallChange = 1e-6;
/// Each iteration reduces the error by a factor of about half the rotation angle of the step; enough for 1 rad.
constexpr int kMaxIterations = 40;

int root_dof(const mjModel& m, int dof) {
  while (m.dof_parentid[dof] >= 0) dof = m.dof_parentid[dof];
  return dof;
}

bool turns(const mjModel& m, int joint) {
  return m.jnt_type[joint] == mjJNT_FREE || m.jnt_type[joint] == mjJNT_BALL;
}

}  // namespace

std::vector<TurningTrees::Tree> TurningTrees::find_trees(const mjModel& m) {
  std::vector<Tree> trees;
  for (int first = 0; first < m.nv;) {
    int end = first + 1;
    while (end < m.nv && root_dof(m, end) == first) ++end;
    bool any_turns = false;
    for (int dof = first; dof < end; ++dof) any_turns |= turns(m, m.dof_jntid[dof]);
    if (any_turns) trees.push_back({.first_dof = first, .dof_count = end - first});
    first = end;
  }
  return trees;
}

TurningTrees::TurningTrees(const mjModel& m, bool enabled)
    : trees_(enabled ? find_trees(m) : std::vector<Tree>{}) {
  if (trees_.empty()) return;
  const auto nv = static_cast<std::size_t>(m.nv), nbody = static_cast<std::size_t>(m.nbody);
  qpos_.resize(static_cast<std::size_t>(m.nq));
  centers_.resize(3 * nbody);
  axes_.resize(nv);
  for (auto* momenta : {&momenta_, &new_momenta_}) momenta->resize(nbody);
  for (auto* numbers : {&impulse_, &slowing_, &after_forces_, &mean_, &new_impulse_, &change_})
    numbers->resize(nv);
}

double TurningTrees::calc_relative_change(const Tree& tree, std::span<const double> impulse,
                                          std::span<const double> change) {
  const double energy =
      mju_dot(impulse.data() + tree.first_dof, change.data() + tree.first_dof, tree.dof_count);
  return std::sqrt(std::max(energy, 0.0) / tree.energy);  // NaN if the change is NaN
}

bool TurningTrees::has_converged(int& open) {
  open = -1;
  for (Tree& tree : trees_) {
    if (!tree.is_fast) continue;
    const double relative = calc_relative_change(tree, new_impulse_, change_);
    // The next change is smaller than this one by about the same factor as this one than the last.
    if (!(relative <= kSmallChange || relative * relative <= kSmallChange * tree.change)) open = tree.first_dof;
    tree.change = relative;
  }
  return open < 0;
}

void TurningTrees::clear_slow_trees(std::vector<double>& numbers) const {
  int end = 0;
  for (const Tree& tree : trees_) {
    if (!tree.is_fast) continue;
    std::fill(numbers.begin() + end, numbers.begin() + tree.first_dof, 0.0);
    end = tree.first_dof + tree.dof_count;
  }
  std::fill(numbers.begin() + end, numbers.end(), 0.0);
}

void TurningTrees::calc_coriolis_impulse(mjModel& m, mjData& d) {
  // Without gravity the bias is quadratic in the velocities.
  const std::array gravity = {m.opt.gravity[0], m.opt.gravity[1], m.opt.gravity[2]};
  mju_zero3(m.opt.gravity);
  mj_rne(&m, &d, 0, new_impulse_.data());
  mju_copy3(m.opt.gravity, gravity.data());
  mju_scl(new_impulse_.data(), new_impulse_.data(), m.opt.timestep, m.nv);
}

void TurningTrees::begin(const mjModel& m, mjData& d, const DrivenJoints& driven) {
  any_fast_ = false;
  // The bias without the weight that a degree of freedom carries.
  const Vec3 gravity = vec3(m.opt.gravity);
  for (int i = 0; i < m.nv; ++i) {
    const double* carried = d.crb + 10 * m.dof_bodyid[i];
    const double weight = carried[9] * vec3(d.cdof + 6 * i + 3).dot(gravity) +
                          vec3(d.cdof + 6 * i).dot(vec3(carried + 6).cross(gravity));
    impulse_[static_cast<std::size_t>(i)] = m.opt.timestep * (d.qfrc_bias[i] + weight);
  }
  mj_solveM(&m, &d, slowing_.data(), impulse_.data(), 1);
  mj_mulM(&m, &d, new_impulse_.data(), d.qvel);
  driven.subtract_ballast(d.qvel, new_impulse_.data());
  for (Tree& tree : trees_) {
    tree.energy = mju_dot(new_impulse_.data() + tree.first_dof, d.qvel + tree.first_dof, tree.dof_count);
    tree.change = calc_relative_change(tree, impulse_, slowing_);
    const double mass = m.body_subtreemass[m.dof_bodyid[tree.first_dof]];
    tree.is_fast = tree.change > kSlow && tree.energy > mass * kAtRest * kAtRest;
    any_fast_ |= tree.is_fast;
  }
  if (!any_fast_) return;
  clear_slow_trees(impulse_);
  clear_slow_trees(slowing_);
  std::copy_n(d.qpos, m.nq, qpos_.begin());
}

int TurningTrees::move(mjModel& m, mjData& d) {
  if (!any_fast_) return -1;
  mju_add(after_forces_.data(), d.qvel, slowing_.data(), m.nv);
  mju_copy(d.qvel, after_forces_.data(), m.nv);
  mj_comVel(&m, &d);
  calc_momenta(m, d, momenta_);
  for (int i = 0; i < m.nv; ++i) axes_[static_cast<std::size_t>(i)] = Eigen::Map<const Vec6>(d.cdof + 6 * i);
  std::copy_n(d.subtree_com, 3 * m.nbody, centers_.begin());

  int too_fast = -1;
  for (int i = 0; i < kMaxIterations; ++i) {
    mju_addScl(d.qvel, after_forces_.data(), slowing_.data(), -0.5, m.nv);
    mj_comVel(&m, &d);
    calc_coriolis_impulse(m, d);
    mju_subFrom(new_impulse_.data(), impulse_.data(), m.nv);
    clear_slow_trees(new_impulse_);
    mju_addTo(impulse_.data(), new_impulse_.data(), m.nv);
    mj_solveM(&m, &d, change_.data(), new_impulse_.data(), 1);
    mju_addTo(slowing_.data(), change_.data(), m.nv);
    if (has_converged(too_fast)) break;
  }
  mju_addScl(mean_.data(), after_forces_.data(), slowing_.data(), -0.5, m.nv);
  mju_sub(d.qvel, after_forces_.data(), slowing_.data(), m.nv);
  for (const Tree& tree : trees_) {
    for (int dof = tree.first_dof; tree.is_fast && dof < tree.first_dof + tree.dof_count; ++dof) {
      const int joint = m.dof_jntid[dof];
      if (m.jnt_dofadr[joint] == dof) move_joint(m, d, joint);
    }
  }
  return too_fast;
}

void TurningTrees::move_joint(const mjModel& m, mjData& d, int joint) const {
  const double h = m.opt.timestep;
  const double* velocity = mean_.data() + m.jnt_dofadr[joint];
  const double* from = qpos_.data() + m.jnt_qposadr[joint];
  double* to = d.qpos + m.jnt_qposadr[joint];
  if (!turns(m, joint)) {
    *to = *from + h * *velocity;
    return;
  }
  if (m.jnt_type[joint] == mjJNT_FREE) {
    vec3(to) = vec3(from) + h * vec3(velocity);
    to += 3;
    from += 3;
    velocity += 3;
  }
  const Vec3 half_turn = 0.5 * h * vec3(velocity);
  const double length = half_turn.norm();
  std::copy_n(from, 4, to);
  if (length > 0.0) mju_quatIntegrate(to, half_turn.data(), 2.0 * std::atan(length) / length);
}

void TurningTrees::calc_momenta(const mjModel& m, const mjData& d, std::vector<Vec6>& momenta) const {
  for (int body = 1; body < m.nbody; ++body) {
    const double* inertia = d.cinert + 10 * body;
    const auto w = vec3(d.cvel + 6 * body), v = vec3(d.cvel + 6 * body + 3);
    const Vec3 offset = vec3(inertia + 6);  // of the centre of mass, times mass
    Mat3 I;
    I << inertia[0], inertia[3], inertia[4], inertia[3], inertia[1], inertia[5], inertia[4], inertia[5],
        inertia[2];
    momenta[static_cast<std::size_t>(body)] << I * w + offset.cross(v), inertia[9] * v - offset.cross(w);
  }
  for (int body = m.nbody - 1; body > 0; --body)
    momenta[static_cast<std::size_t>(m.body_parentid[body])] += momenta[static_cast<std::size_t>(body)];
}

void TurningTrees::finish(const mjModel& m, mjData& d) {
  if (!any_fast_) return;
  for (Tree& tree : trees_) tree.change = calc_relative_change(tree, impulse_, slowing_);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    mj_comVel(&m, &d);
    calc_momenta(m, d, new_momenta_);
    mju_zero(new_impulse_.data(), m.nv);
    for (const Tree& tree : trees_) {
      if (!tree.is_fast) continue;
      const int root = m.body_rootid[m.dof_bodyid[tree.first_dof]];
      const Vec3 moved = vec3(d.subtree_com + 3 * root) - vec3(centers_.data() + 3 * root);
      for (int i = tree.first_dof; i < tree.first_dof + tree.dof_count; ++i) {
        const auto dof = static_cast<std::size_t>(i), body = static_cast<std::size_t>(m.dof_bodyid[i]);
        // Everything about the old position of the centre of mass.
        const auto rotation = vec3(d.cdof + 6 * i);
        Vec6 axis;
        axis << rotation, vec3(d.cdof + 6 * i + 3) - rotation.cross(moved);
        Vec6 gained = new_momenta_[body] - momenta_[body];
        gained.head<3>() += moved.cross(new_momenta_[body].tail<3>());
        new_impulse_[dof] =
            -0.5 * (axes_[dof] + axis).dot(gained) - m.dof_armature[i] * (d.qvel[i] - after_forces_[dof]);
      }
    }
    mj_solveM(&m, &d, change_.data(), new_impulse_.data(), 1);
    mju_addTo(d.qvel, change_.data(), m.nv);
    int open = -1;
    if (has_converged(open)) break;
  }
}

}  // namespace lockstep
