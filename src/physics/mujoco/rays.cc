#include "physics/mujoco/rays.h"

#include <algorithm>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {
namespace {

/// Whether a ray misses the bounding sphere of a shape, or ends before it; planes and heightmaps have none.
bool passes_by(const mjModel& m, const mjData& d, int geom, const Vec3& origin, const Vec3& direction,
               double reach) {
  const double radius = m.geom_rbound[geom];
  if (radius <= 0.0) return false;
  const Vec3 to_center = vec3(d.geom_xpos + 3 * geom) - origin;
  const double along = to_center.dot(direction);
  if (along < -radius || along > reach + radius) return true;
  return (to_center - along * direction).squaredNorm() > radius * radius;
}

/// MuJoCo misses a ray that hits exactly the edge between two triangles. A ray with this offset, m, avoids the
/// edge; it is far above rounding.
constexpr double kBesideAnEdge = 1e-8;

/// Distance along the ray to the surface of a shape, m; negative if it misses.
double calc_ray_distance(const mjModel& m, const mjData& d, int geom, const Vec3& origin,
                         const Vec3& direction) {
  const int type = m.geom_type[geom];
  if (type != mjGEOM_MESH && type != mjGEOM_HFIELD) {
    return mju_rayGeom(d.geom_xpos + 3 * geom, d.geom_xmat + 9 * geom, m.geom_size + 3 * geom, origin.data(),
                       direction.data(), type);
  }
  const auto cast = type == mjGEOM_MESH ? mj_rayMesh : mj_rayHfield;
  const Vec3 aside = direction.unitOrthogonal();
  // Not along an axis, where edges are.
  const Vec3 shifted = origin + kBesideAnEdge * (0.6 * aside + 0.8 * direction.cross(aside));
  const double first = cast(&m, &d, geom, origin.data(), direction.data());
  const double second = cast(&m, &d, geom, shifted.data(), direction.data());
  return first < 0.0 || second < 0.0 ? std::max(first, second) : std::min(first, second);
}

}  // namespace

std::optional<RayHit> find_ray_hit(const MujocoInstance& instance, const Vec3& origin, const Vec3& direction,
                                   double range, std::span<const BodyId> ignored) {
  const mjModel& m = *instance.m;
  const mjData& d = *instance.d;
  std::optional<RayHit> nearest;
  for (int geom = 0; geom < m.ngeom; ++geom) {
    const double reach = nearest ? nearest->distance : range;
    if (passes_by(m, d, geom, origin, direction, reach)) continue;
    const double distance = calc_ray_distance(m, d, geom, origin, direction);
    if (distance < 0.0 || distance > reach) continue;
    const ShapeId shape = instance.compiled.shape_ids[static_cast<std::size_t>(geom)];
    const BodyId body = instance.model.shapes[index(shape)].body;
    if (std::find(ignored.begin(), ignored.end(), body) == ignored.end()) nearest = RayHit{distance, shape};
  }
  return nearest;
}

}  // namespace lockstep
