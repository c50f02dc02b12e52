#include "geometry/shape_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/overloaded.h"
#include "geometry/mass.h"
#include "geometry/tessellate.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

double signed_distance(const Box& box, const Vec3& p) {
  const Vec3 out = p.cwiseAbs() - 0.5 * box.size;
  return out.cwiseMax(0.0).norm() + std::min(out.maxCoeff(), 0.0);
}

double signed_distance(const Sphere& sphere, const Vec3& p) {
  return p.norm() - sphere.radius;
}

double signed_distance(const Capsule& capsule, const Vec3& p) {
  const double half = 0.5 * capsule.length;
  return (p - Vec3(0.0, 0.0, std::clamp(p.z(), -half, half))).norm() - capsule.radius;
}

double signed_distance(const Cylinder& cylinder, const Vec3& p) {
  const double out = std::hypot(p.x(), p.y()) - cylinder.radius;
  const double up = std::abs(p.z()) - 0.5 * cylinder.length;
  return std::hypot(std::max(out, 0.0), std::max(up, 0.0)) + std::min(std::max(out, up), 0.0);
}

/// Unit vectors along which the distance grows.
Vec3 gradient(const Box& box, const Vec3& p) {
  const Vec3 out = p.cwiseAbs() - 0.5 * box.size;
  Eigen::Index axis = 0;
  const bool is_inside = out.maxCoeff(&axis) <= 0.0;
  const Vec3 away = is_inside ? Vec3(Vec3::Unit(axis)) : Vec3(out.cwiseMax(0.0).normalized());
  return away.cwiseProduct(p.unaryExpr([](double x) { return x < 0.0 ? -1.0 : 1.0; }));
}

Vec3 gradient(const Sphere& /*sphere*/, const Vec3& p) {
  return p.norm() > 0.0 ? Vec3(p.normalized()) : Vec3(Vec3::UnitX());
}

Vec3 gradient(const Capsule& capsule, const Vec3& p) {
  const double half = 0.5 * capsule.length;
  return gradient(Sphere{}, p - Vec3(0.0, 0.0, std::clamp(p.z(), -half, half)));
}

Vec3 gradient(const Cylinder& cylinder, const Vec3& p) {
  const double out = std::hypot(p.x(), p.y()) - cylinder.radius;
  const double up = std::abs(p.z()) - 0.5 * cylinder.length;
  const Vec3 side = gradient(Sphere{}, Vec3(p.x(), p.y(), 0.0));
  const Vec3 end(0.0, 0.0, p.z() < 0.0 ? -1.0 : 1.0);
  if (out > 0.0 && up > 0.0) return (out * side + up * end).normalized();
  return out > up ? side : end;
}

constexpr std::uint32_t kPlanesInLeaf = 4;
constexpr double kEndless = std::numeric_limits<double>::infinity();

}  // namespace

PlaneTree::PlaneTree(std::vector<Plane> planes) : planes_(std::move(planes)) {
  LOCKSTEP_CHECK(!planes_.empty());
  build(0, static_cast<std::uint32_t>(planes_.size()));
}

void PlaneTree::build(std::uint32_t begin, std::uint32_t end) {
  const std::size_t at = nodes_.size();
  Node node{.normals = {}, .lowest = kEndless, .begin = begin, .end = end, .right = 0};
  for (std::uint32_t i = begin; i < end; ++i) {
    node.normals.extend(planes_[i].normal);
    node.lowest = std::min(node.lowest, planes_[i].offset);
  }
  nodes_.push_back(node);
  if (end - begin <= kPlanesInLeaf) return;
  int axis = 0;
  node.normals.sizes().maxCoeff(&axis);
  const std::uint32_t half = begin + (end - begin) / 2;
  std::nth_element(planes_.begin() + begin, planes_.begin() + half, planes_.begin() + end,
                   [&](const Plane& a, const Plane& b) { return a.normal(axis) < b.normal(axis); });
  build(begin, half);
  nodes_[at].right = static_cast<std::uint32_t>(nodes_.size());
  build(half, end);
}

/// The largest height above `floor`, or `floor` if there is none. `any`: the first one found.
double PlaneTree::search(const Vec3& point, double floor, bool any) const {
  // No plane of a node is farther below the point than this.
  const auto bound = [&](const Node& node) {
    const Vec3 most = node.normals.min().cwiseProduct(point).cwiseMax(node.normals.max().cwiseProduct(point));
    return most.sum() - node.lowest;
  };
  struct Waiting {
    std::uint32_t node;
    double bound;
  };
  std::array<Waiting, 128> stack;  // the tree is balanced, so it is less deep than this
  std::size_t size = 0;
  stack[size++] = {0, kEndless};
  double most = floor;
  while (size > 0 && !(any && most > floor)) {
    const auto [at, bound_of_node] = stack[--size];
    if (bound_of_node <= most) continue;
    const Node& node = nodes_[at];
    if (node.right == 0) {
      for (std::uint32_t i = node.begin; i < node.end; ++i)
        most = std::max(most, planes_[i].normal.dot(point) - planes_[i].offset);
      continue;
    }
    Waiting high{at + 1, bound(nodes_[at + 1])}, low{node.right, bound(nodes_[node.right])};
    if (high.bound < low.bound) std::swap(high, low);
    if (low.bound > most) stack[size++] = low;
    if (high.bound > most) stack[size++] = high;
  }
  return most;
}

ShapeDistance::ShapeDistance(const FittedShape& shape) : shape_(shape), X_SM_(shape.pose.inverse()) {
  const auto* hull = std::get_if<Mesh>(&shape.geometry);
  if (hull == nullptr) return;
  hull_ = std::make_shared<MeshDistance>(*hull);
  std::vector<PlaneTree::Plane> planes;
  for (const auto& face : hull->faces) {
    const Vec3& a = hull->vertices[face[0]];
    const Vec3 cross = (hull->vertices[face[1]] - a).cross(hull->vertices[face[2]] - a);
    if (!(cross.norm() > 0.0)) continue;  // a degenerate face has no plane; its neighbours have
    const Vec3 normal = cross.normalized();
    planes.push_back({normal, normal.dot(a)});
  }
  planes_ = std::make_shared<PlaneTree>(std::move(planes));
}

double ShapeDistance::operator()(const Vec3& p_M) const {
  const Vec3 p = X_SM_ * p_M;
  return std::visit(Overloaded{[&](const Mesh&) {
                                 const double height = planes_->height(p);
                                 return height <= 0.0 ? height : hull_->find(p).distance;
                               },
                               [&](const auto& primitive) { return signed_distance(primitive, p); }},
                    shape_.geometry);
}

double ShapeDistance::distance_outside(const Vec3& p_M) const {
  if (!hull_) return std::max((*this)(p_M), 0.0);
  const Vec3 p = X_SM_ * p_M;
  return planes_->exceeds(p, 0.0) ? hull_->find(p).distance : 0.0;
}

bool ShapeDistance::is_within(const Vec3& p_M, double distance) const {
  if (!hull_) return (*this)(p_M) <= distance;
  const Vec3 p = X_SM_ * p_M;
  if (planes_->exceeds(p, distance)) return false;
  return distance <= 0.0 || !planes_->exceeds(p, 0.0) || hull_->find(p, distance).distance <= distance;
}

double ShapeDistance::unsigned_distance(const Vec3& p_M, double enough) const {
  return hull_ ? hull_->find(X_SM_ * p_M, enough).distance : std::abs((*this)(p_M));
}

PlaneTree::Plane ShapeDistance::plane_near(const Vec3& p) const {
  return std::visit(Overloaded{[&](const Mesh&) {
                                 const auto& [a, b, c] = hull_->face(hull_->find(p).face);
                                 const Vec3 normal = (b - a).cross(c - a).normalized();
                                 return PlaneTree::Plane{normal, normal.dot(a)};
                               },
                               [&](const auto& primitive) {
                                 const Vec3 normal = gradient(primitive, p);
                                 return PlaneTree::Plane{normal, normal.dot(p) - signed_distance(primitive, p)};
                               }},
                    shape_.geometry);
}

double ShapeDistance::bound_outside(const Triangle& triangle) const {
  // The distance to a convex body, negative inside, is a convex function: it is largest at a corner.
  double most = 0.0;
  for (const Vec3& corner : triangle) most = std::max(most, distance_outside(corner));
  return most;
}

double ShapeDistance::bound(const Triangle& triangle, const Vec3& middle) const {
  // Inside, the distance to the surface is at most that to a tangent plane.
  const PlaneTree::Plane plane = plane_near(X_SM_ * middle);
  double most = bound_outside(triangle);
  for (const Vec3& corner : triangle) most = std::max(most, plane.offset - plane.normal.dot(X_SM_ * corner));
  return most;
}

double calc_volume(const FittedShape& shape) {
  return std::visit([](const auto& geometry) { return unit_mass(geometry).mass; }, shape.geometry);
}

Mesh surface_of(const FittedShape& shape, double deviation) {
  Mesh mesh = std::visit(
      Overloaded{[](const Mesh& hull) { return hull; }, [](const Box& box) { return tessellated(box); },
                 [&](const auto& round) { return tessellated(round, deviation); }},
      shape.geometry);
  for (Vec3& vertex : mesh.vertices) vertex = shape.pose * vertex;
  return mesh;
}

}  // namespace lockstep
