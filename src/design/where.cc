#include "design/where.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// Tolerance of a given radius, which is rounded in a drawing or listing.
bool is_radius(double found, double wanted) {
  constexpr double kRelative = 5e-3, kAbsolute = 1e-6;  // m
  return std::abs(found - wanted) <= kRelative * wanted + kAbsolute;
}

FeatureKind kind_of(WhereFrom from) {
  switch (from) {
    case WhereFrom::kCylinder:
      return FeatureKind::kCylinder;
    case WhereFrom::kCircle:
      return FeatureKind::kCircle;
    case WhereFrom::kPlane:
      return FeatureKind::kPlane;
    case WhereFrom::kEdge:
      return FeatureKind::kEdge;
    default:
      return FeatureKind::kHole;
  }
}

Line find_feature(const Assembly& assembly, const Where& where) {
  const FeatureKind kind = kind_of(where.from);
  std::vector<PlacedFeature> fitting;
  std::string radii;
  const std::vector<int> parts = find_parts(assembly, where.part, where.place, "<at>");
  for (const PlacedFeature& placed : list_features(assembly, parts)) {
    if (placed.feature.kind != kind) continue;
    if (where.radius && !is_radius(placed.feature.radius, *where.radius)) {
      constexpr std::size_t kEnough = 80;  // characters of a message
      const std::string radius = fmt::format("{:.4g} mm", 1e3 * placed.feature.radius);
      if (radii.size() < kEnough && radii.find(radius) == std::string::npos)
        radii += (radii.empty() ? "" : ", ") + radius;
      continue;
    }
    fitting.push_back(placed);
  }
  if (fitting.empty() && !radii.empty()) {
    throw_user_error(where.place, "<at>: '{}' has no {} of radius {:.6g} mm; there are {}", where.part,
                     name(kind), 1e3 * *where.radius, radii);
  }
  if (fitting.size() < static_cast<std::size_t>(where.number)) {
    throw_user_error(where.place,
                     "<at>: '{}' has {} features of the kind '{}'; `lockstep design features` lists them",
                     where.part, fitting.size(), name(kind));
  }
  if (where.near) {
    std::stable_sort(fitting.begin(), fitting.end(), [&](const PlacedFeature& a, const PlacedFeature& b) {
      return (a.feature.point - *where.near).norm() < (b.feature.point - *where.near).norm();
    });
  }
  const Feature& found = fitting[static_cast<std::size_t>(where.number) - 1].feature;
  return {found.point, found.direction};
}

Line find_in_box(const Assembly& assembly, const Where& where) {
  const Eigen::AlignedBox3d box = calc_bounds(assembly, find_parts(assembly, where.part, where.place, "<at>"));
  Eigen::Index axis = 0;
  switch (where.axis) {
    case BoxAxis::kMax:
      box.sizes().maxCoeff(&axis);
      break;
    case BoxAxis::kMin:
      box.sizes().minCoeff(&axis);
      break;
    case BoxAxis::kX:
    case BoxAxis::kY:
    case BoxAxis::kZ:
      axis = static_cast<Eigen::Index>(where.axis) - static_cast<Eigen::Index>(BoxAxis::kX);
      break;
  }
  return {box.min() + where.fraction.cwiseProduct(box.sizes()), Vec3::Unit(axis)};
}

/// Centre and normal of the circle through three points.
Line find_circle(const Where& where) {
  const auto point = [&](std::size_t i) {
    return Vec3(where.points[3 * i], where.points[3 * i + 1], where.points[3 * i + 2]);
  };
  const Vec3 a = point(0), u = point(1) - a, v = point(2) - a;
  const Vec3 normal = u.cross(v);
  constexpr double kMinSine = 1e-6;  // below it the points are collinear within rounding
  if (normal.norm() <= kMinSine * u.norm() * v.norm()) {
    throw_user_error(where.place, "<at>: the three points are on a line; expected three points on a circle");
  }
  const Vec3 to_center =
      (u.squaredNorm() * v.cross(normal) + v.squaredNorm() * normal.cross(u)) / (2.0 * normal.squaredNorm());
  return {a + to_center, normal.normalized()};
}

}  // namespace

std::vector<PlacedFeature> list_features(const Assembly& assembly, std::span<const int> parts) {
  std::vector<PlacedFeature> placed;
  for (const int index : parts) {
    const Part& part = assembly.parts[static_cast<std::size_t>(index)];
    if (part.shape < 0) continue;
    const Pose X_AP = calc_pose(assembly, index);
    for (Feature feature : assembly.shapes[static_cast<std::size_t>(part.shape)].features) {
      feature.point = X_AP * feature.point;
      feature.direction = X_AP.q * feature.direction;
      placed.push_back({index, feature});
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const PlacedFeature& a, const PlacedFeature& b) {
    if (a.feature.kind != b.feature.kind) return a.feature.kind < b.feature.kind;
    return std::pair(a.feature.radius, a.feature.size) > std::pair(b.feature.radius, b.feature.size);
  });
  return placed;
}

Line find_line(const Assembly& assembly, const Where& where) {
  Line line;
  if (where.from == WhereFrom::kBox) {
    line = find_in_box(assembly, where);
  } else if (where.from == WhereFrom::kPoints) {
    line = find_circle(where);
  } else {
    line = find_feature(assembly, where);
  }
  if (where.flip) line.direction = -line.direction;
  line.point += where.offset * line.direction;
  return line;
}

}  // namespace lockstep
