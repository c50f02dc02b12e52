#include "geometry/mesh_distance.h"

#include <algorithm>
#include <cmath>

#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr std::uint32_t kLeafSize = 4;

}  // namespace

Vec3 nearest_point(const Triangle& triangle, const Vec3& point) {
  const auto& [a, b, c] = triangle;
  const Vec3 ab = b - a, ac = c - a;
  // Projections of the point on the two edges at each corner. If both are negative, the corner is nearest.
  const Vec3 from_a = point - a, from_b = point - b, from_c = point - c;
  const double a1 = ab.dot(from_a), a2 = ac.dot(from_a);
  if (a1 <= 0.0 && a2 <= 0.0) return a;
  const double b1 = ab.dot(from_b), b2 = ac.dot(from_b);
  if (b1 >= 0.0 && b2 <= b1) return b;
  const double c1 = ab.dot(from_c), c2 = ac.dot(from_c);
  if (c2 >= 0.0 && c1 <= c2) return c;
  // Barycentric coordinates of the projected point; negative beyond the opposite edge.
  const double of_a = b1 * c2 - c1 * b2, of_b = c1 * a2 - a1 * c2, of_c = a1 * b2 - b1 * a2;
  if (of_c <= 0.0 && a1 >= 0.0 && b1 <= 0.0) return a + a1 / (a1 - b1) * ab;
  if (of_b <= 0.0 && a2 >= 0.0 && c2 <= 0.0) return a + a2 / (a2 - c2) * ac;
  const double towards_c = b2 - b1, towards_b = c1 - c2;
  if (of_a <= 0.0 && towards_c >= 0.0 && towards_b >= 0.0)
    return b + towards_c / (towards_c + towards_b) * (c - b);
  const double sum = of_a + of_b + of_c;
  return sum > 0.0 ? Vec3(a + of_b / sum * ab + of_c / sum * ac) : a;
}

MeshDistance::MeshDistance(const Mesh& mesh) {
  LOCKSTEP_CHECK(!mesh.faces.empty());
  triangles_.reserve(mesh.faces.size());
  for (const auto& face : mesh.faces)
    triangles_.push_back({mesh.vertices[face[0]], mesh.vertices[face[1]], mesh.vertices[face[2]]});
  build(0, static_cast<std::uint32_t>(triangles_.size()));
}

void MeshDistance::build(std::uint32_t begin, std::uint32_t end) {
  const std::size_t at = nodes_.size();
  Node node{.bounds = {}, .begin = begin, .end = end, .right = 0};
  Eigen::AlignedBox3d middles;
  for (std::uint32_t i = begin; i < end; ++i) {
    for (const Vec3& corner : triangles_[i]) node.bounds.extend(corner);
    middles.extend(middle(triangles_[i]));
  }
  nodes_.push_back(node);
  if (end - begin <= kLeafSize) return;
  int axis = 0;
  middles.sizes().maxCoeff(&axis);
  const std::uint32_t half = begin + (end - begin) / 2;
  std::nth_element(triangles_.begin() + begin, triangles_.begin() + half, triangles_.begin() + end,
                   [&](const auto& a, const auto& b) { return middle(a)(axis) < middle(b)(axis); });
  build(begin, half);
  nodes_[at].right = static_cast<std::uint32_t>(nodes_.size());
  build(half, end);
}

double MeshDistance::bound(const Triangle& triangle, const Nearest& near) const {
  double most = 0.0;
  for (const Vec3& corner : triangle)
    most = std::max(most, (nearest_point(triangles_[near.face], corner) - corner).squaredNorm());
  return std::sqrt(most);
}

MeshDistance::Nearest MeshDistance::find(const Vec3& point, double enough) const {
  const double enough_squared = enough > 0.0 ? enough * enough : 0.0;
  std::uint32_t best_face = last_;
  double best = (nearest_point(triangles_[last_], point) - point).squaredNorm();
  struct Waiting {
    std::uint32_t node;
    double squared;  // distance of its bounds
  };
  std::array<Waiting, 128> stack;  // the tree is balanced, so it is less deep than this
  std::size_t size = 0;
  stack[size++] = {0, 0.0};
  while (size > 0 && best > enough_squared) {
    const auto [at, squared_to_bounds] = stack[--size];
    if (squared_to_bounds >= best) continue;
    const Node& node = nodes_[at];
    if (node.right == 0) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        const double squared = (nearest_point(triangles_[i], point) - point).squaredNorm();
        if (!(squared < best)) continue;
        best = squared;
        best_face = i;
      }
      continue;
    }
    Waiting near{at + 1, nodes_[at + 1].bounds.squaredExteriorDistance(point)};
    Waiting far{node.right, nodes_[node.right].bounds.squaredExteriorDistance(point)};
    if (far.squared < near.squared) std::swap(near, far);
    if (far.squared < best) stack[size++] = far;
    if (near.squared < best) stack[size++] = near;
  }
  last_ = best_face;
  return {std::sqrt(best), best_face};
}

}  // namespace lockstep
