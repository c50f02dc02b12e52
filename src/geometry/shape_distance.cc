#include "geometry/shape_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/overloaded.h"
#include "geometry/mass.h"
#include "geometry/tessellate.h"

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

}  // namespace

ShapeDistance::ShapeDistance(const FittedShape& shape) : shape_(shape), X_SM_(shape.pose.inverse()) {
  const auto* hull = std::get_if<Mesh>(&shape.geometry);
  if (hull == nullptr) return;
  hull_ = std::make_shared<MeshDistance>(*hull);
  for (const auto& face : hull->faces) {
    const Vec3& a = hull->vertices[face[0]];
    const Vec3 cross = (hull->vertices[face[1]] - a).cross(hull->vertices[face[2]] - a);
    if (!(cross.norm() > 0.0)) continue;  // a degenerate face has no plane; its neighbours have
    const Vec3 normal = cross.normalized();
    planes_.push_back({normal, normal.dot(a)});
  }
}

double ShapeDistance::operator()(const Vec3& p_M) const {
  const Vec3 p = X_SM_ * p_M;
  return std::visit(Overloaded{[&](const Mesh&) {
                                 const double height = height_over_hull(p);
                                 return height <= 0.0 ? height : hull_->find(p).distance;
                               },
                               [&](const auto& primitive) { return signed_distance(primitive, p); }},
                    shape_.geometry);
}

double ShapeDistance::height_over_hull(const Vec3& p) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const Plane& plane : planes_) most = std::max(most, plane.normal.dot(p) - plane.offset);
  return most;
}

bool ShapeDistance::is_within(const Vec3& p_M, double distance) const {
  if (!hull_) return (*this)(p_M) <= distance;
  const double height = height_over_hull(X_SM_ * p_M);
  if (height <= 0.0 || height > distance) return height <= distance;
  return hull_->find(X_SM_ * p_M, distance).distance <= distance;
}

double ShapeDistance::unsigned_distance(const Vec3& p_M, double enough) const {
  return hull_ ? hull_->find(X_SM_ * p_M, enough).distance : std::abs((*this)(p_M));
}

ShapeDistance::Plane ShapeDistance::plane_near(const Vec3& p) const {
  return std::visit(Overloaded{[&](const Mesh&) {
                                 const auto& [a, b, c] = hull_->face(hull_->find(p).face);
                                 const Vec3 normal = (b - a).cross(c - a).normalized();
                                 return Plane{normal, normal.dot(a)};
                               },
                               [&](const auto& primitive) {
                                 const Vec3 normal = gradient(primitive, p);
                                 return Plane{normal, normal.dot(p) - signed_distance(primitive, p)};
                               }},
                    shape_.geometry);
}

double ShapeDistance::bound_outside(const Triangle& triangle) const {
  // The distance to a convex body, negative inside, is a convex function: it is largest at a corner.
  double most = 0.0;
  for (const Vec3& corner : triangle) most = std::max(most, (*this)(corner));
  return most;
}

double ShapeDistance::bound(const Triangle& triangle, const Vec3& middle) const {
  // Inside, the distance to the surface is at most that to a tangent plane.
  const Plane plane = plane_near(X_SM_ * middle);
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
