#include "physics/mujoco/substeps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/near_shapes.h"

namespace lockstep {
namespace {

/// Half the size along the axes of the shape; of a mesh, which may be off its centre, its bounding radius.
Vec3 calc_half_size(const mjModel& m, int geom) {
  const double* size = m.geom_size + 3 * geom;
  switch (m.geom_type[geom]) {
    case mjGEOM_SPHERE:
      return Vec3::Constant(size[0]);
    case mjGEOM_CAPSULE:
      return {size[0], size[0], size[0] + size[1]};
    case mjGEOM_CYLINDER:
      return {size[0], size[0], size[1]};
    case mjGEOM_BOX:
    case mjGEOM_ELLIPSOID:
      return vec3(size);
    case mjGEOM_MESH:
      return Vec3::Constant(m.geom_rbound[geom]);
    default:  // unbounded, or down to its base
      return Vec3::Constant(std::numeric_limits<double>::infinity());
  }
}

/// Half of the smallest size.
double calc_half_thickness(const mjModel& m, int geom) {
  if (m.geom_type[geom] == mjGEOM_MESH) return vec3(m.geom_size + 3 * geom).minCoeff();
  return calc_half_size(m, geom).minCoeff();
}

/// Whether a shape can collide with any other one.
bool can_collide_with_any(const mjModel& m, int geom) {
  for (int other = 0; other < m.ngeom; ++other) {
    if (can_collide(m, geom, other)) return true;
  }
  return false;
}

/// Velocity of the centre of a shape of a moving body.
inline Vec3 calc_velocity(const mjData& d, int geom, int body, int root) {
  const double* twist = d.cvel + 6 * body;
  return vec3(twist + 3) + vec3(twist).cross(vec3(d.geom_xpos + 3 * geom) - vec3(d.subtree_com + 3 * root));
}

/// How far the joints of a body can move its origin away from the place it has without them.
double calc_play(const mjModel& m, int body) {
  double play = 0.0;
  for (int joint = m.body_jntadr[body]; joint < m.body_jntadr[body] + m.body_jntnum[body]; ++joint) {
    if (m.jnt_type[joint] == mjJNT_SLIDE) return std::numeric_limits<double>::infinity();
    play += 2.0 * vec3(m.jnt_pos + 3 * joint).norm();
  }
  return play;
}

/// By degree of freedom: the largest speed of the centre of one of these shapes at a velocity of 1, in any position.
std::vector<double> calc_reaches(const mjModel& m, std::span<const int> geoms) {
  // By body: the largest distance of a shape, of it or its descendants, from its origin. Descendants come later.
  std::vector<double> farthest(static_cast<std::size_t>(m.nbody), 0.0);
  for (const int geom : geoms) {
    double& distance = farthest[static_cast<std::size_t>(m.geom_bodyid[geom])];
    distance = std::max(distance, vec3(m.geom_pos + 3 * geom).norm());
  }
  for (int body = m.nbody - 1; body > 0; --body) {
    const double distance =
        vec3(m.body_pos + 3 * body).norm() + calc_play(m, body) + farthest[static_cast<std::size_t>(body)];
    double& of_parent = farthest[static_cast<std::size_t>(m.body_parentid[body])];
    of_parent = std::max(of_parent, distance);
  }
  std::vector<double> reaches(static_cast<std::size_t>(m.nv), 1.0);
  for (int dof = 0; dof < m.nv; ++dof) {
    const int joint = m.dof_jntid[dof], body = m.dof_bodyid[dof];
    const bool is_linear =
        m.jnt_type[joint] == mjJNT_SLIDE || (m.jnt_type[joint] == mjJNT_FREE && dof < m.jnt_dofadr[joint] + 3);
    if (!is_linear) {
      reaches[static_cast<std::size_t>(dof)] =
          farthest[static_cast<std::size_t>(body)] + calc_play(m, body) + vec3(m.jnt_pos + 3 * joint).norm();
    }
  }
  return reaches;
}

/// Whether the bounding sphere of a shape meets the bounding box of another shape on its path.
bool meets(const mjModel& m, const mjData& d, int geom, int other, const Vec3& path) {
  const Vec3 half = calc_half_size(m, other) + Vec3::Constant(m.geom_rbound[geom]);
  const auto R = mat3(d.geom_xmat + 9 * other);
  const Vec3 from = R.transpose() * (vec3(d.geom_xpos + 3 * geom) - vec3(d.geom_xpos + 3 * other));
  const Vec3 along = R.transpose() * path;
  double entry = 0.0, exit = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    if (std::isinf(half[axis])) continue;
    if (along[axis] == 0.0) {
      if (std::abs(from[axis]) > half[axis]) return false;
      continue;
    }
    const double a = (-half[axis] - from[axis]) / along[axis], b = (half[axis] - from[axis]) / along[axis];
    entry = std::max(entry, std::min(a, b));
    exit = std::min(exit, std::max(a, b));
  }
  return entry <= exit;
}

/// Largest rotation of a free or ball joint in a substep, rad: integrators keep its energy well below 1 rad.
constexpr double kMaxRotation = 0.25;

}  // namespace

SubstepCounter::SubstepCounter(const mjModel& m) {
  std::vector<int> geoms;
  for (int geom = 0; geom < m.ngeom; ++geom) {
    const int body = m.geom_bodyid[geom], root = m.body_rootid[body];
    if (m.body_weldid[body] == 0 || !can_collide_with_any(m, geom)) continue;
    if (trees_.empty() || trees_.back().root != root) {
      Tree& tree = trees_.emplace_back();
      tree.root = root;
      tree.first_mover = movers_.size();
      tree.thinnest = std::numeric_limits<double>::infinity();
      while (m.body_rootid[m.dof_bodyid[tree.first_dof]] != root) ++tree.first_dof;
      tree.end_dof = tree.first_dof;
      while (tree.end_dof < m.nv && m.body_rootid[m.dof_bodyid[tree.end_dof]] == root) ++tree.end_dof;
    }
    geoms.push_back(geom);
    movers_.push_back({geom, body, calc_half_thickness(m, geom)});
    trees_.back().end_mover = movers_.size();
    trees_.back().thinnest = std::min(trees_.back().thinnest, movers_.back().half_thickness);
  }
  reaches_ = calc_reaches(m, geoms);
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (m.jnt_type[joint] == mjJNT_FREE) rotation_dofs_.push_back(m.jnt_dofadr[joint] + 3);
    if (m.jnt_type[joint] == mjJNT_BALL) rotation_dofs_.push_back(m.jnt_dofadr[joint]);
  }
}

int SubstepCounter::count(const mjModel& m, const mjData& d, double step) const {
  double substeps = 1.0;
  if (!rotation_dofs_.empty()) {
    double fastest = 0.0;
    for (const int dof : rotation_dofs_) fastest = std::max(fastest, vec3(d.qvel + dof).squaredNorm());
    substeps = std::max(substeps, std::ceil(step * std::sqrt(fastest) / kMaxRotation));
  }
  for (const Tree& tree : trees_) {
    double speed = 0.0;  // at most
    for (int dof = tree.first_dof; dof < tree.end_dof; ++dof)
      speed += reaches_[static_cast<std::size_t>(dof)] * std::abs(d.qvel[dof]);
    if (step * speed <= tree.thinnest) continue;
    for (std::size_t i = tree.first_mover; i < tree.end_mover; ++i) {
      const Mover& mover = movers_[i];
      const Vec3 path = step * calc_velocity(d, mover.geom, mover.body, tree.root);
      if (path.squaredNorm() <= mover.half_thickness * mover.half_thickness) continue;
      substeps = std::max(substeps, count_for(m, d, step, mover, path));
    }
  }
  return static_cast<int>(std::min(substeps, static_cast<double>(kMaxSubsteps)));
}

double SubstepCounter::count_for(const mjModel& m, const mjData& d, double step, const Mover& mover,
                                 const Vec3& path) {
  double substeps = 1.0;
  for (int other = 0; other < m.ngeom; ++other) {
    const int body = m.geom_bodyid[other];
    const double reach = mover.half_thickness + calc_half_thickness(m, other);
    Vec3 relative = path;
    if (m.body_weldid[body] != 0) relative -= step * calc_velocity(d, other, body, m.body_rootid[body]);
    if (relative.norm() <= reach || !can_collide(m, mover.geom, other) ||
        !meets(m, d, mover.geom, other, relative)) {
      continue;
    }
    substeps = std::max(substeps, std::ceil(2.0 * relative.norm() / reach));
  }
  return substeps;
}

}  // namespace lockstep
