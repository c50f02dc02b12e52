#pragma once

#include <memory>

#include "geometry/fit.h"
#include "geometry/mesh_distance.h"

namespace lockstep {

/// Distances of points from the surface of a fitted shape.
class ShapeDistance {
 public:
  explicit ShapeDistance(const FittedShape& shape);

  /// Distance to the surface, negative inside, m.
  double operator()(const Vec3& p_M) const;
  /// Distance to the surface, or any value that is at least the distance and at most `enough`.
  double unsigned_distance(const Vec3& p_M, double enough) const;
  /// Whether the distance, negative inside, is at most this.
  bool is_within(const Vec3& p_M, double distance) const;

  /// Upper bound of the distance over a triangle, whose centroid is given, inside or outside.
  double bound(const Triangle& triangle, const Vec3& middle) const;
  /// The same for points outside; 0 if there are none.
  double bound_outside(const Triangle& triangle) const;

 private:
  /// The supporting plane at the point of the shape nearest to a given one; the shape is behind it.
  struct Plane {
    Vec3 normal;
    double offset;
  };
  Plane plane_near(const Vec3& p_S) const;
  /// Signed height over the highest face plane of the hull: the distance if inside, a lower bound if outside.
  double height_over_hull(const Vec3& p_S) const;

  FittedShape shape_;
  Pose X_SM_;
  std::shared_ptr<const MeshDistance> hull_;
  std::vector<Plane> planes_;  // of the hull's faces
};

double calc_volume(const FittedShape& shape);
/// The surface in the frame of the mesh; round shapes within `deviation`.
Mesh surface_of(const FittedShape& shape, double deviation);

}  // namespace lockstep
