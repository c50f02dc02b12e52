#pragma once

#include <array>
#include <vector>

#include "lockstep/shapes.h"

namespace lockstep {

using Triangle = std::array<Vec3, 3>;

inline Vec3 middle(const Triangle& t) {
  return (t[0] + t[1] + t[2]) / 3.0;
}

/// The point of a triangle nearest to a given one.
Vec3 nearest_point(const Triangle& triangle, const Vec3& point);

/// Distances of points from the surface of a mesh, by a bounding volume tree. Copies the mesh. Remembers the last
/// face as a first guess for the next point, which is usually near, so an object belongs to one thread.
class MeshDistance {
 public:
  explicit MeshDistance(const Mesh& mesh);  ///< not empty

  /// To the nearest point of the surface, m.
  double operator()(const Vec3& point) const { return find(point).distance; }
  struct Nearest {
    double distance = 0.0;
    std::uint32_t face = 0;
  };
  /// The nearest face, or any within `enough`.
  Nearest find(const Vec3& point, double enough = 0.0) const;
  const Triangle& face(std::uint32_t index) const { return triangles_[index]; }

  /// Upper bound of the distance over a triangle, from one nearby face. The face is convex, so the distance to
  /// it is largest at a corner.
  double bound(const Triangle& triangle, const Nearest& near) const;

 private:
  struct Node {
    Eigen::AlignedBox3d bounds;
    std::uint32_t begin = 0, end = 0;  ///< faces of a leaf
    std::uint32_t right = 0;           ///< second child; the first one follows; 0 for a leaf
  };
  void build(std::uint32_t begin, std::uint32_t end);

  std::vector<Triangle> triangles_;
  std::vector<Node> nodes_;
  mutable std::uint32_t last_ = 0;  // nearest face of the last point
};

}  // namespace lockstep
