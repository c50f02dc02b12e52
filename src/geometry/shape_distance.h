#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "geometry/fit.h"
#include "geometry/mesh_distance.h"

namespace lockstep {

/// The planes of the faces of a convex body, in a tree by their normals.
class PlaneTree {
 public:
  struct Plane {
    Vec3 normal = Vec3::UnitZ();  ///< unit, outwards
    double offset = 0.0;
  };
  explicit PlaneTree(std::vector<Plane> planes);

  /// Signed height over the highest plane: the distance if inside, a lower bound if outside.
  double height(const Vec3& point) const {
    return search(point, -std::numeric_limits<double>::infinity(), false);
  }
  /// Whether the point is higher than this over any plane. Much faster.
  bool exceeds(const Vec3& point, double level) const { return search(point, level, true) > level; }

 private:
  struct Node {
    Eigen::AlignedBox3d normals;
    double lowest = 0.0;               ///< offset
    std::uint32_t begin = 0, end = 0;  ///< planes of a leaf
    std::uint32_t right = 0;           ///< second child; the first one follows; 0 for a leaf
  };
  void build(std::uint32_t begin, std::uint32_t end);
  double search(const Vec3& point, double floor, bool any) const;

  std::vector<Plane> planes_;
  std::vector<Node> nodes_;
};

/// Distances of points from the surface of a fitted shape.
class ShapeDistance {
 public:
  explicit ShapeDistance(const FittedShape& shape);

  /// Distance to the surface, negative inside, m.
  double operator()(const Vec3& p_M) const;
  /// Distance to the surface, or any value that is at least the distance and at most `enough`.
  double unsigned_distance(const Vec3& p_M, double enough) const;
  /// The distance if outside, 0 if inside.
  double distance_outside(const Vec3& p_M) const;
  /// Whether the distance, negative inside, is at most this.
  bool is_within(const Vec3& p_M, double distance) const;

  /// Upper bound of the distance over a triangle, whose centroid is given, inside or outside.
  double bound(const Triangle& triangle, const Vec3& middle) const;
  /// The same for points outside; 0 if there are none.
  double bound_outside(const Triangle& triangle) const;

 private:
  /// The supporting plane at the point of the shape nearest to a given one; the shape is behind it.
  PlaneTree::Plane plane_near(const Vec3& p_S) const;

  FittedShape shape_;
  Pose X_SM_;
  std::shared_ptr<const MeshDistance> hull_;
  std::shared_ptr<const PlaneTree> planes_;  // of the hull's faces
};

double calc_volume(const FittedShape& shape);
/// The surface in the frame of the mesh; round shapes within `deviation`.
Mesh surface_of(const FittedShape& shape, double deviation);

}  // namespace lockstep
