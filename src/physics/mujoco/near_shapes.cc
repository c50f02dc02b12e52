#include "physics/mujoco/near_shapes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {
namespace {

/// With more shapes that can collide, MuJoCo's sorting costs less than comparing each with each.
constexpr std::size_t kMaxShapes = 32;

/// For rounding, relative to the radii.
constexpr double kRadiusSlack = 1e-9;

}  // namespace

bool can_collide(const mjModel& m, int geom1, int geom2) {
  if ((m.geom_contype[geom1] & m.geom_conaffinity[geom2]) == 0 &&
      (m.geom_contype[geom2] & m.geom_conaffinity[geom1]) == 0) {
    return false;
  }
  const int body1 = m.geom_bodyid[geom1], body2 = m.geom_bodyid[geom2];
  const int group1 = m.body_weldid[body1], group2 = m.body_weldid[body2];
  if (group1 == group2) return false;
  // A link does not collide with its parent, unless the parent is fixed.
  const auto is_parent = [&](int parent, int child) {
    return parent != 0 && m.body_weldid[m.body_parentid[child]] == parent;
  };
  if (is_parent(group1, group2) || is_parent(group2, group1)) return false;
  const int signature = ((std::min(body1, body2) + 1) << 16) + std::max(body1, body2) + 1;
  return std::find(m.exclude_signature, m.exclude_signature + m.nexclude, signature) ==
         m.exclude_signature + m.nexclude;
}

NearShapes::NearShapes(const mjModel& m) {
  std::vector<int> shapes;
  for (int geom = 0; geom < m.ngeom; ++geom) {
    if (m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0) shapes.push_back(geom);
  }
  if (shapes.size() > kMaxShapes) return;
  is_known_ = true;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = i + 1; j < shapes.size(); ++j) {
      if (can_collide(m, shapes[i], shapes[j])) pairs_.push_back(make_pair(m, shapes[i], shapes[j]));
    }
  }
}

NearShapes::Pair NearShapes::make_pair(const mjModel& m, int geom1, int geom2) {
  if (m.geom_type[geom2] == mjGEOM_PLANE) std::swap(geom1, geom2);
  Pair pair{.geom1 = geom1, .geom2 = geom2, .is_plane = m.geom_type[geom1] == mjGEOM_PLANE};
  const double radius1 = m.geom_rbound[geom1], radius2 = m.geom_rbound[geom2];
  const bool is_bounded = radius2 > 0.0 && (pair.is_plane || radius1 > 0.0);
  pair.reach = !is_bounded ? std::numeric_limits<double>::infinity()
                           : (1.0 + kRadiusSlack) * (pair.is_plane ? radius2 : radius1 + radius2);
  return pair;
}

bool NearShapes::are_near(const mjModel& m, const mjData& d, const Pair& pair) {
  const double reach = pair.reach + std::max(m.geom_margin[pair.geom1], m.geom_margin[pair.geom2]);
  const Vec3 between = vec3(d.geom_xpos + 3 * pair.geom2) - vec3(d.geom_xpos + 3 * pair.geom1);
  if (!pair.is_plane) return !(between.squaredNorm() > reach * reach);
  const double* R = d.geom_xmat + 9 * pair.geom1;  // by row
  return !(R[2] * between.x() + R[5] * between.y() + R[8] * between.z() > reach);
}

bool NearShapes::any(const mjModel& m, const mjData& d) {
  if (!is_known_) return true;
  if (pairs_.empty()) return false;
  if (are_near(m, d, pairs_[nearest_])) return true;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (!are_near(m, d, pairs_[i])) continue;
    nearest_ = i;
    return true;
  }
  return false;
}

}  // namespace lockstep
