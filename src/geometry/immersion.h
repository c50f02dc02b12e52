#pragma once

#include "lockstep/shapes.h"

/// Immersed volume and projected area of a shape, for air and water.
namespace lockstep {

struct Immersion {
  double volume = 0.0;         ///< below the surface, m^3
  Vec3 center = Vec3::Zero();  ///< of that volume, world, m; undefined when the volume is zero
};

/// Volume of a shape below the plane z = level. Exact for boxes, spheres and meshes; capsules and cylinders
/// by an inscribed mesh scaled to the exact volume (error below 1 % of the volume in any position).
Immersion calc_immersion(const Box& box, const Pose& X_WS, double level);
Immersion calc_immersion(const Sphere& sphere, const Pose& X_WS, double level);
Immersion calc_immersion(const Capsule& capsule, const Pose& X_WS, double level);
Immersion calc_immersion(const Cylinder& cylinder, const Pose& X_WS, double level);
Immersion calc_immersion(const Mesh& mesh, const Pose& X_WS, double level);

/// Projected area of a shape along a unit direction in its own frame, m^2. Exact for convex shapes.
double calc_projected_area(const Box& box, const Vec3& direction_S);
double calc_projected_area(const Sphere& sphere, const Vec3& direction_S);
double calc_projected_area(const Capsule& capsule, const Vec3& direction_S);
double calc_projected_area(const Cylinder& cylinder, const Vec3& direction_S);
double calc_projected_area(const Mesh& mesh, const Vec3& direction_S);

}  // namespace lockstep
