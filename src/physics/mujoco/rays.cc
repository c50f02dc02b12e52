#include "physics/mujoco/rays.h"

#include <algorithm>
#include <cmath>

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

/// The nearer of two distances, negative ones being misses.
double nearer(double a, double b) {
  return a < 0.0 || b < 0.0 ? std::max(a, b) : std::min(a, b);
}

/// Whether a point is on or beyond the border of a terrain.
bool is_at_border(const mjModel& m, const mjData& d, int geom, const Vec3& point) {
  constexpr double kClose = 1e-6;  // m, above kBesideAnEdge even for a ray at a small angle
  const Vec3 local = mat3(d.geom_xmat + 9 * geom).transpose() * (point - vec3(d.geom_xpos + 3 * geom));
  const double* size = m.hfield_size + 4 * m.geom_dataid[geom];
  return std::abs(local.x()) > size[0] - kClose || std::abs(local.y()) > size[1] - kClose;
}

/// Distance along the ray to the surface of a shape, m; negative if it misses.
double calc_ray_distance(const mjModel& m, const mjData& d, int geom, const Vec3& origin,
                         const Vec3& direction) {
  const int type = m.geom_type[geom];
  if (type != mjGEOM_MESH && type != mjGEOM_HFIELD) {
    return mju_rayGeom(d.geom_xpos + 3 * geom, d.geom_xmat + 9 * geom, m.geom_size + 3 * geom, origin.data(),
                       direction.data(), type);
  }
  const auto cast_at = [&](const Vec3& from) {
    const auto cast = type == mjGEOM_MESH ? mj_rayMesh : mj_rayHfield;
    return cast(&m, &d, geom, from.data(), direction.data());
  };
  // Not along an axis, where edges are.
  const Vec3 aside = direction.unitOrthogonal();
  const Vec3 offset = kBesideAnEdge * (0.6 * aside + 0.8 * direction.cross(aside));
  double distance = nearer(cast_at(origin), cast_at(origin + offset));
  if (type == mjGEOM_HFIELD && (distance < 0.0 || is_at_border(m, d, geom, origin + distance * direction))) {
    // That offset may be outside, where the ray misses the terrain or falls to its base. One of four at right
    // angles is inside, even at a corner.
    const Vec3 other = direction.cross(offset);
    for (const Vec3& inwards : {Vec3(-offset), other, Vec3(-other)})
      distance = nearer(distance, cast_at(origin + inwards));
  }
  return distance;
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
    const auto add = [&](ShapeId shape, double distance) {
      if (distance < 0.0 || distance > (nearest ? nearest->distance : range)) return;
      const BodyId body = instance.model.shapes[index(shape)].body;
      if (std::find(ignored.begin(), ignored.end(), body) == ignored.end()) nearest = RayHit{distance, shape};
    };
    const auto i = static_cast<std::size_t>(geom);
    const std::vector<ShapePart>& parts = instance.compiled.parts[i];
    if (parts.empty()) add(instance.compiled.shape_ids[i], calc_ray_distance(m, d, geom, origin, direction));
    for (const ShapePart& part : parts) {
      const double* R = d.geom_xmat + 9 * geom;
      const Vec3 center = vec3(d.geom_xpos + 3 * geom) + mat3(R) * part.center;
      add(part.shape,
          mju_rayGeom(center.data(), R, part.half_size.data(), origin.data(), direction.data(), mjGEOM_BOX));
    }
  }
  return nearest;
}

}  // namespace lockstep
