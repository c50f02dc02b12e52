#include "physics/medium.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "geometry/immersion.h"
#include "geometry/mass.h"

namespace lockstep {
namespace {

/// Calls `visit` with the solid behind a shape: a Box, Sphere, Capsule, Cylinder or Mesh; not at all for planes and
/// heightmaps, which have no volume.
template <typename Visit>
void with_solid(const Model& model, const ShapeGeometry& geometry, Visit visit) {
  std::visit(
      [&](const auto& solid) {
        using Solid = std::decay_t<decltype(solid)>;
        if constexpr (std::is_same_v<Solid, MeshGeometry>) {
          visit(model.meshes[index(solid.mesh)]);
        } else if constexpr (!std::is_same_v<Solid, PlaneGeometry> && !std::is_same_v<Solid, HeightmapGeometry>) {
          visit(solid);
        }
      },
      geometry);
}

Vec3 bounding_edges(const Box& box) { return box.size; }
Vec3 bounding_edges(const Sphere&) { return Vec3::Zero(); }
Vec3 bounding_edges(const Capsule& c) { return {2.0 * c.radius, 2.0 * c.radius, c.length + 2.0 * c.radius}; }
Vec3 bounding_edges(const Cylinder& c) { return {2.0 * c.radius, 2.0 * c.radius, c.length}; }
Vec3 bounding_edges(const Mesh& mesh) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = -low;
  for (const Vec3& vertex : mesh.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  return high - low;
}

bool encloses_volume(const Mesh& mesh) { return find_mesh_defect(mesh).empty(); }
template <typename Primitive>
bool encloses_volume(const Primitive&) {
  return true;
}

bool can_move(const Model& model, BodyId body) {
  for (; body != kWorldBody; body = model.body(body).parent) {
    if (model.body(body).joint) return true;
  }
  return false;
}

}  // namespace

MediumForces::MediumForces(const Model& model) : model_(&model) {
  const Medium& medium = model.medium;
  air_ = {medium.air_density, medium.air_viscosity, medium.wind};
  water_ = {medium.water_density, medium.water_viscosity, medium.current};
  for (std::size_t i = 0; i < model.shapes.size(); ++i) {
    if (!can_move(model, model.shapes[i].body)) continue;
    with_solid(model, model.shapes[i].geometry, [&](const auto& solid) {
      // An open mesh displaces nothing that could be computed.
      if (!encloses_volume(solid)) return;
      const MassProperties unit = unit_mass(solid);
      shapes_.push_back({ShapeId{static_cast<int>(i)}, unit.mass, unit.center, bounding_edges(solid),
                         std::cbrt(unit.mass * 3.0 / (4.0 * std::numbers::pi))});
    });
  }
}

void MediumForces::advance(const Instant&, Duration, Row, World& world) {
  for (const ImmersedShape& immersed : shapes_) act(immersed, world);
}

void MediumForces::act(const ImmersedShape& immersed, World& world) const {
  const ShapeModel& shape = model_->shapes[index(immersed.shape)];
  const Pose X_WB = world.body_pose(shape.body);
  const Pose X_WS = X_WB * shape.X_BS;
  const Vec3 center_W = X_WS * immersed.center;
  Twist velocity = world.body_velocity(shape.body);
  velocity.linear += velocity.angular.cross(center_W - X_WB.p);

  Immersion wet;
  if (model_->medium.water_level) {
    with_solid(*model_, shape.geometry,
               [&](const auto& solid) { wet = calc_immersion(solid, X_WS, *model_->medium.water_level); });
  }
  const double wet_part = wet.volume / immersed.volume;
  if (wet_part > 0.0) {
    Wrench wrench = calc_drag(immersed, shape, water_, X_WS, velocity);
    wrench.force *= wet_part;
    wrench.torque *= wet_part;
    wrench.force -= water_.density * wet.volume * model_->gravity;
    world.add_body_force(shape.body, wet.center, wrench);
  }
  if (wet_part < 1.0 && (air_.density > 0.0 || air_.viscosity > 0.0)) {
    const double dry_volume = immersed.volume - wet.volume;
    const Vec3 dry_center = (immersed.volume * center_W - wet.volume * wet.center) / dry_volume;
    Wrench wrench = calc_drag(immersed, shape, air_, X_WS, velocity);
    wrench.force *= 1.0 - wet_part;
    wrench.torque *= 1.0 - wet_part;
    wrench.force -= air_.density * dry_volume * model_->gravity;
    // Where almost nothing is dry its centre is lost to rounding, and the force is next to nothing.
    const bool has_center = dry_volume > 1e-9 * immersed.volume;
    world.add_body_force(shape.body, has_center ? dry_center : center_W, wrench);
  }
}

Wrench MediumForces::calc_drag(const ImmersedShape& immersed, const ShapeModel& shape, const Fluid& fluid,
                               const Pose& X_WS, const Twist& velocity) const {
  Wrench wrench;
  const Vec3 against = velocity.linear - fluid.velocity;
  const double speed = against.norm();
  if (speed > 0.0) {
    double area = 0.0;
    const Vec3 direction_S = X_WS.q.conjugate() * (against / speed);
    with_solid(*model_, shape.geometry, [&](const auto& solid) { area = calc_projected_area(solid, direction_S); });
    const double viscous = 6.0 * std::numbers::pi * fluid.viscosity * immersed.radius;
    wrench.force = -(0.5 * fluid.density * shape.drag * area * speed + viscous) * against;
  }
  const Vec3 spin_S = X_WS.q.conjugate() * velocity.angular;
  const Vec3& b = immersed.edges;
  const double viscous = 8.0 * std::numbers::pi * fluid.viscosity * std::pow(immersed.radius, 3);
  Vec3 torque_S;
  for (int i = 0; i < 3; ++i) {
    const double bj = b[(i + 1) % 3];
    const double bk = b[(i + 2) % 3];
    const double quadratic = fluid.density * shape.drag * b[i] * (bj * bj * bj * bj + bk * bk * bk * bk) / 64.0;
    torque_S[i] = -(quadratic * std::abs(spin_S[i]) + viscous) * spin_S[i];
  }
  wrench.torque = X_WS.q * torque_S;
  return wrench;
}

}  // namespace lockstep
