#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "geometry/enclosing_ball.h"
#include "geometry/fit.h"
#include "geometry/hull.h"

namespace lockstep {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A rotation whose z axis is `axis`.
Mat3 frame_along(const Vec3& axis) {
  return rotation_between(Vec3::UnitZ(), axis).toRotationMatrix();
}

struct Measured {
  FittedShape shape;
  double volume = kInfinite;
};
using FitAlong = std::function<Measured(const std::vector<Vec3>& points, const Vec3& axis)>;

/// Candidate axes of a machine part: its principal axes and the normals of its largest flat sides.
std::vector<Vec3> candidate_axes(const Mesh& hull) {
  constexpr std::size_t kMaxSides = 24;
  constexpr double kSameSide = 1e-3;  // difference of unit vectors
  struct Flat {
    Vec3 normal;
    double area;
  };
  std::vector<Flat> flats;
  for (const auto& face : hull.faces) {
    const Vec3& a = hull.vertices[face[0]];
    const Vec3 cross = 0.5 * (hull.vertices[face[1]] - a).cross(hull.vertices[face[2]] - a);
    if (cross.norm() > 0.0) flats.push_back({cross.normalized(), cross.norm()});
  }
  std::stable_sort(flats.begin(), flats.end(), [](const Flat& a, const Flat& b) { return a.area > b.area; });
  // Coplanar triangles are one side; opposite sides have the same axis. Only the largest triangles start a new
  // side.
  std::vector<Flat> sides;
  for (const Flat& flat : flats) {
    const auto same = std::find_if(sides.begin(), sides.end(), [&](const Flat& side) {
      return 1.0 - std::abs(side.normal.dot(flat.normal)) < kSameSide * kSameSide;
    });
    if (same != sides.end()) {
      same->area += flat.area;
    } else if (sides.size() < 8 * kMaxSides) {
      sides.push_back(flat);
    }
  }
  std::stable_sort(sides.begin(), sides.end(), [](const Flat& a, const Flat& b) { return a.area > b.area; });
  std::vector<Vec3> axes;
  for (std::size_t i = 0; i < std::min(sides.size(), kMaxSides); ++i) axes.push_back(sides[i].normal);

  Vec3 center = Vec3::Zero();
  double area = 0.0;
  for (const auto& face : hull.faces) {
    const Vec3 &a = hull.vertices[face[0]], &b = hull.vertices[face[1]], &c = hull.vertices[face[2]];
    const double weight = (b - a).cross(c - a).norm();
    center += weight * (a + b + c) / 3.0;
    area += weight;
  }
  center /= area;
  Mat3 spread = Mat3::Zero();
  for (const auto& face : hull.faces) {
    const Vec3 &a = hull.vertices[face[0]], &b = hull.vertices[face[1]], &c = hull.vertices[face[2]];
    const Vec3 out = (a + b + c) / 3.0 - center;
    spread += (b - a).cross(c - a).norm() * out * out.transpose();
  }
  const Mat3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors();
  for (int i = 0; i < 3; ++i) axes.emplace_back(principal.col(i));
  for (int i = 0; i < 3; ++i) axes.emplace_back(Vec3::Unit(i));
  return axes;
}

/// Tilts the axis of a fit while that reduces its volume.
Measured refined(const std::vector<Vec3>& points, Vec3 axis, Measured best, const FitAlong& fit) {
  constexpr double kFirstTilt = 0.1, kLastTilt = 1e-5;  // rad
  for (double tilt = kFirstTilt; tilt > kLastTilt; tilt *= 0.5) {
    bool improves = true;
    for (int round = 0; improves && round < 20; ++round) {
      improves = false;
      const Mat3 R = frame_along(axis);
      for (const Vec3& side : {Vec3(R.col(0)), Vec3(-R.col(0)), Vec3(R.col(1)), Vec3(-R.col(1))}) {
        const Vec3 tilted = (axis + tilt * side).normalized();
        const Measured other = fit(points, tilted);
        if (!(other.volume < best.volume * (1.0 - 1e-9))) continue;
        best = other;
        axis = tilted;
        improves = true;
        break;
      }
    }
  }
  return best;
}

FittedShape best_along(const Mesh& mesh, const FitAlong& fit) {
  const Mesh hull = convex_hull(mesh.vertices);
  Measured best;
  Vec3 best_axis = Vec3::UnitZ();
  for (const Vec3& axis : candidate_axes(hull)) {
    const Measured other = fit(hull.vertices, axis);
    if (!(other.volume < best.volume)) continue;
    best = other;
    best_axis = axis;
  }
  return refined(hull.vertices, best_axis, best, fit).shape;
}

/// Points projected along an axis: their smallest enclosing circle, and the radius and height of each.
struct Column {
  Mat3 R;
  Vec3 center = Vec3::Zero();  ///< of the circle, in the rotated frame, z = 0
  double radius = 0.0;
  std::vector<std::pair<double, double>> out_up;
};

Column make_column(const std::vector<Vec3>& points, const Vec3& axis) {
  Column column{.R = frame_along(axis)};
  std::vector<Vec3> flat;
  for (const Vec3& point : points) {
    const Vec3 turned = column.R.transpose() * point;
    flat.emplace_back(turned.x(), turned.y(), 0.0);
    column.out_up.emplace_back(0.0, turned.z());
  }
  std::vector<Vec3> shuffled = flat;
  const Ball circle = enclosing_ball(shuffled);
  column.center = circle.center;
  column.radius = circle.radius;
  for (std::size_t i = 0; i < flat.size(); ++i) column.out_up[i].first = (flat[i] - column.center).norm();
  return column;
}

Pose column_pose(const Column& column, double height) {
  return {column.R * Vec3(column.center.x(), column.center.y(), height), Quat(column.R).normalized()};
}

Measured cylinder_along(const std::vector<Vec3>& points, const Vec3& axis) {
  const Column column = make_column(points, axis);
  double low = kInfinite, high = -kInfinite;
  for (const auto& [out, up] : column.out_up) {
    low = std::min(low, up);
    high = std::max(high, up);
  }
  return {{Cylinder{column.radius, high - low}, column_pose(column, 0.5 * (low + high))},
          std::numbers::pi * column.radius * column.radius * (high - low)};
}

Measured capsule_along(const std::vector<Vec3>& points, const Vec3& axis) {
  const Column column = make_column(points, axis);
  const double r = column.radius;
  // The caps cover points closer to the axis.
  double low = kInfinite, high = -kInfinite;
  for (const auto& [out, up] : column.out_up) {
    const double reach = std::sqrt(std::max(0.0, r * r - out * out));
    low = std::min(low, up + reach);
    high = std::max(high, up - reach);
  }
  // Shorter than a sphere of that radius: the sphere is the capsule.
  const double length = std::max(0.0, high - low);
  return {{Capsule{r, length}, column_pose(column, 0.5 * (low + high))},
          std::numbers::pi * r * r * (length + 4.0 / 3.0 * r)};
}

using Vec2 = Eigen::Vector2d;

double turn(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b - a).x() * (c - a).y() - (b - a).y() * (c - a).x();
}

/// The convex hull of points in a plane, counter-clockwise (Andrew's monotone chain).
std::vector<Vec2> convex_polygon(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  std::vector<Vec2> corners;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t first = corners.size();
    for (const Vec2& point : points) {
      while (corners.size() >= first + 2 && turn(corners[corners.size() - 2], corners.back(), point) <= 0.0)
        corners.pop_back();
      corners.push_back(point);
    }
    corners.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return corners;
}

/// The smallest box with two sides normal to the axis: another side contains an edge of the projection.
Measured box_along(const std::vector<Vec3>& points, const Vec3& axis) {
  const Mat3 R = frame_along(axis);
  std::vector<Vec2> shadow;
  double low = kInfinite, high = -kInfinite;
  for (const Vec3& point : points) {
    const Vec3 turned = R.transpose() * point;
    shadow.emplace_back(turned.x(), turned.y());
    low = std::min(low, turned.z());
    high = std::max(high, turned.z());
  }
  const std::vector<Vec2> corners = convex_polygon(std::move(shadow));
  Measured best;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 edge = corners[(i + 1) % corners.size()] - corners[i];
    if (!(edge.norm() > 0.0)) continue;
    const Vec2 x = edge.normalized(), y(-x.y(), x.x());
    Eigen::AlignedBox2d bounds;
    for (const Vec2& corner : corners) bounds.extend(Vec2(x.dot(corner), y.dot(corner)));
    const Vec3 size(bounds.sizes().x(), bounds.sizes().y(), high - low);
    if (!(size.prod() < best.volume)) continue;
    const Vec2 middle = bounds.center().x() * x + bounds.center().y() * y;
    Mat3 turned;
    turned << x.x(), y.x(), 0, x.y(), y.y(), 0, 0, 0, 1;
    best = {{Box{size},
             {R * Vec3(middle.x(), middle.y(), 0.5 * (low + high)), Quat(Mat3(R * turned)).normalized()}},
            size.prod()};
  }
  return best;
}

}  // namespace

FittedShape fit_bounding_capsule(const Mesh& mesh) {
  Eigen::AlignedBox3d bounds;
  for (const Vec3& vertex : mesh.vertices) bounds.extend(vertex);
  int longest = 0;
  const Vec3 size = bounds.sizes();
  const double most = size.maxCoeff(&longest), least = size.minCoeff();
  return {Capsule{0.5 * least, most - least},
          {bounds.center(), rotation_between(Vec3::UnitZ(), Vec3::Unit(longest))}};
}

FittedShape fit_box(const Mesh& mesh) {
  return best_along(mesh, box_along);
}

FittedShape fit_sphere(const Mesh& mesh) {
  std::vector<Vec3> points = convex_hull(mesh.vertices).vertices;
  const Ball ball = enclosing_ball(points);
  return {Sphere{ball.radius}, {ball.center, Quat::Identity()}};
}

FittedShape fit_capsule(const Mesh& mesh) {
  return best_along(mesh, capsule_along);
}

FittedShape fit_cylinder(const Mesh& mesh) {
  return best_along(mesh, cylinder_along);
}

FittedShape fit_hull(const Mesh& mesh) {
  return {convex_hull(mesh.vertices), {}};
}

}  // namespace lockstep
