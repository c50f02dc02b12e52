#include "physics/mujoco/totals.h"

#include <algorithm>
#include <cmath>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {

namespace {

/// Of bodies and armatures; MuJoCo's would contain the ballast of driven joints.
double calc_kinetic_energy(const MujocoInstance& instance) {
  const mjModel& m = *instance.m;
  const mjData& d = *instance.d;
  double twice = 0.0;
  for (int i = 1; i < m.nbody; ++i) {
    const Twist velocity = calc_point_velocity(m, d, i, d.xipos + 3 * i);
    const Vec3 spin = mat3(d.ximat + 9 * i).transpose() * velocity.angular;
    twice += m.body_mass[i] * velocity.linear.squaredNorm() +
             spin.dot(vec3(m.body_inertia + 3 * i).cwiseProduct(spin));
  }
  std::span<const DrivenDof> driven = instance.driven.dofs();
  for (int dof = 0; dof < m.nv; ++dof) {
    const auto is_dof = [&](const DrivenDof& other) { return other.dof == dof; };
    const auto found = std::find_if(driven.begin(), driven.end(), is_dof);
    const double armature = found != driven.end() ? found->armature : m.dof_armature[dof];
    twice += armature * d.qvel[dof] * d.qvel[dof];
  }
  return 0.5 * twice;
}

}  // namespace

Energy calc_energy(const MujocoInstance& instance) {
  mjModel& m = *instance.m;
  mjData& d = *instance.d;
  // These write only d->energy, which nothing else reads; without the flag it stays zero.
  m.opt.enableflags |= mjENBL_ENERGY;
  mj_energyPos(&m, &d);
  mj_energyVel(&m, &d);
  m.opt.enableflags &= ~mjENBL_ENERGY;
  Energy energy{.kinetic = d.energy[1], .potential = d.energy[0]};
  if (!instance.driven.empty()) energy.kinetic = calc_kinetic_energy(instance);
  for (std::size_t i = 0; i < instance.compiled.ropes.size(); ++i) {
    const SpringModel& rope = instance.model.springs[instance.compiled.ropes[i]];
    const double stretch = std::max(0.0, d.ten_length[m.actuator_trnid[2 * i]] - rope.length);
    energy.potential += 0.5 * rope.stiffness * stretch * stretch;
  }
  return energy;
}

Momentum calc_momentum(const MujocoInstance& instance) {
  const mjModel& m = *instance.m;
  const mjData& d = *instance.d;
  Momentum momentum;
  for (int i = 1; i < m.nbody; ++i) {
    if (m.body_weldid[i] == 0) continue;
    const Twist velocity = calc_point_velocity(m, d, i, d.xipos + 3 * i);
    const auto R = mat3(d.ximat + 9 * i);
    const Vec3 linear = m.body_mass[i] * velocity.linear;
    momentum.linear += linear;
    momentum.angular += vec3(d.xipos + 3 * i).cross(linear);
    momentum.angular += R * vec3(m.body_inertia + 3 * i).cwiseProduct(R.transpose() * velocity.angular);
  }
  return momentum;
}

SolverStatistics calc_statistics(const MujocoInstance& instance) {
  const mjModel& m = *instance.m;
  const mjData& d = *instance.d;
  SolverStatistics statistics;
  statistics.iterations = d.solver_iter;
  statistics.contacts = d.ncon;
  statistics.constraint_rows = d.nefc;
  for (int i = 0; i < d.ncon; ++i) {
    statistics.largest_penetration = std::max(statistics.largest_penetration, -d.contact[i].dist);
  }
  for (int row = 0; row < d.ne;) {
    const int type = m.eq_type[d.efc_id[row]];
    if (type == mjEQ_JOINT || type == mjEQ_TENDON) {
      statistics.largest_loop_error = std::max(statistics.largest_loop_error, std::abs(d.efc_pos[row++]));
      continue;
    }
    const bool frame = type == mjEQ_WELD;
    double error = vec3(d.efc_pos + row).norm();
    // A rotation error is the vector part of its quaternion, which is half the angle.
    if (frame) error = std::max(error, 2.0 * vec3(d.efc_pos + row + 3).norm());
    statistics.largest_loop_error = std::max(statistics.largest_loop_error, error);
    row += frame ? 6 : 3;
  }
  return statistics;
}

}  // namespace lockstep
