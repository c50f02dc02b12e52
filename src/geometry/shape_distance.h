#pragma once

#include <memory>

#include "geometry/fit.h"
#include "geometry/mesh_distance.h"

namespace lockstep {

/// Finds how far points are from the surface of one fitted shape.
class ShapeDistance {
 public:
  explicit ShapeDistance(const FittedShape& shape);

  /// Distance to the surface, negative inside, m.
  double operator()(const Vec3& p_M) const;
  /// Distance to the surface, or any that is at least as large and at most `enough`.
  double unsigned_distance(const Vec3& p_M, double enough) const;
  /// Whether the distance, negative inside, is at most this.
  bool is_within(const Vec3& p_M, double distance) const;

  /// No point of a triangle, whose middle is given, is farther from the surface, inside or outside.
  double bound(const Triangle& triangle, const Vec3& middle) const;
  /// The same for points outside; 0 if none is.
  double bound_outside(const Triangle& triangle) const;

 private:
  /// A plane with the whole shape behind it, that touches the shape where it is nearest to a point.
  struct Plane {
    Vec3 normal;
    double offset;
  };
  Plane plane_near(const Vec3& p_S) const;
  /// How far a point is in front of the foremost face of the hull: inside the distance, outside at most that.
  double height_over_hull(const Vec3& p_S) const;

  FittedShape shape_;
  Pose X_SM_;
  std::shared_ptr<const MeshDistance> hull_;
  std::vector<Plane> planes_;  // of the hull's faces
};

double calc_volume(const FittedShape& shape);
/// The surface in the frame of the mesh; round ones within `deviation`.
Mesh surface_of(const FittedShape& shape, double deviation);

}  // namespace lockstep
