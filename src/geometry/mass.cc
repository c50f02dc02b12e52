#include "geometry/mass.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/units.h"

namespace lockstep {
namespace {

/// Inertia about the axes through the origin from the second moments integral(x x^T dm).
Mat3 inertia_of_moments(const Mat3& moments) {
  return moments.trace() * Mat3::Identity() - moments;
}

/// Inertia of a point mass about the origin (parallel axis theorem).
Mat3 point_inertia(double mass, const Vec3& p) {
  return mass * (p.squaredNorm() * Mat3::Identity() - p * p.transpose());
}

/// Sums the tetrahedra between a point near the mesh and each face.
struct PolyhedronSums {
  double six_volume = 0.0;
  Vec3 first = Vec3::Zero();   ///< 24 integral(x dV)
  Mat3 second = Mat3::Zero();  ///< 120 integral(x x^T dV)
};

PolyhedronSums sum_polyhedron(const Mesh& mesh, const Vec3& origin) {
  PolyhedronSums sums;
  for (const auto& face : mesh.faces) {
    const Vec3 a = mesh.vertices[face[0]] - origin;
    const Vec3 b = mesh.vertices[face[1]] - origin;
    const Vec3 c = mesh.vertices[face[2]] - origin;
    const double six_volume = a.dot(b.cross(c));
    const Vec3 sum = a + b + c;
    sums.six_volume += six_volume;
    sums.first += six_volume * sum;
    sums.second +=
        six_volume * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  return sums;
}

Vec3 middle(const Mesh& mesh) {
  Eigen::AlignedBox3d bounds;
  for (const Vec3& vertex : mesh.vertices) bounds.extend(vertex);
  return bounds.center();
}

}  // namespace

MassProperties unit_mass(const Box& box) {
  MassProperties body;
  body.mass = box.size.prod();
  const Vec3 squares = box.size.cwiseAbs2();
  body.inertia = (body.mass / 12.0 * (Vec3::Constant(squares.sum()) - squares)).asDiagonal();
  return body;
}

MassProperties unit_mass(const Sphere& sphere) {
  const double r = sphere.radius;
  MassProperties body;
  body.mass = 4.0 / 3.0 * std::numbers::pi * r * r * r;
  body.inertia = 0.4 * body.mass * r * r * Mat3::Identity();
  return body;
}

MassProperties unit_mass(const Cylinder& cylinder) {
  const double r = cylinder.radius, l = cylinder.length;
  MassProperties body;
  body.mass = std::numbers::pi * r * r * l;
  const double across = body.mass * (3.0 * r * r + l * l) / 12.0;
  body.inertia = Vec3(across, across, 0.5 * body.mass * r * r).asDiagonal();
  return body;
}

MassProperties unit_mass(const Capsule& capsule) {
  const double r = capsule.radius, l = capsule.length;
  MassProperties body = unit_mass(Cylinder{r, l});
  const double caps = unit_mass(Sphere{r}).mass;
  // Each half sphere has its centre 3/8 r above the flat side.
  const double across = caps * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
  body.mass += caps;
  body.inertia += Mat3(Vec3(across, across, 0.4 * caps * r * r).asDiagonal());
  return body;
}

MassProperties unit_mass(const Mesh& mesh) {
  MassProperties body;
  if (mesh.faces.empty()) return body;
  // Far from the origin the tetrahedra would be huge and cancel.
  const Vec3 origin = middle(mesh);
  const PolyhedronSums sums = sum_polyhedron(mesh, origin);
  body.mass = sums.six_volume / 6.0;
  if (body.mass == 0.0) return body;
  const Vec3 center = sums.first / (24.0 * body.mass);
  body.center = origin + center;
  body.inertia = inertia_of_moments(sums.second / 120.0) - point_inertia(body.mass, center);
  return body;
}

MassProperties transformed(const MassProperties& body, const Pose& X_AB) {
  const Mat3 R_AB = X_AB.q.toRotationMatrix();
  const Mat3 inertia = R_AB * body.inertia * R_AB.transpose();
  // The product is symmetric only up to rounding, but engines require exact symmetry.
  return {body.mass, X_AB * body.center, 0.5 * (inertia + inertia.transpose())};
}

MassProperties combined(const MassProperties& a, const MassProperties& b) {
  MassProperties sum;
  sum.mass = a.mass + b.mass;
  if (sum.mass == 0.0) return sum;
  sum.center = (a.mass * a.center + b.mass * b.center) / sum.mass;
  sum.inertia = a.inertia + point_inertia(a.mass, a.center - sum.center) + b.inertia +
                point_inertia(b.mass, b.center - sum.center);
  return sum;
}

std::string find_mass_defect(const MassProperties& body) {
  // Inertias are written with six digits or so, and a thin plate has A + B = C: rounding alone may break the
  // inequality by this much of C.
  constexpr double kTriangleTolerance = 1e-5;
  // Relative difference of two entries that should be equal.
  constexpr double kSymmetryTolerance = 1e-9;
  // Below this fraction of the largest, a moment is zero within the precision of the eigenvalue solver.
  constexpr double kZero = 1e-14;

  if (!std::isfinite(body.mass) || body.mass <= 0.0) {
    return fmt::format("the mass is {}; expected more than zero", format_number(body.mass));
  }
  if (!body.center.array().isFinite().all()) return "the centre of mass is not finite";
  const Mat3& inertia = body.inertia;
  if (!inertia.array().isFinite().all()) return "the inertia is not finite";
  const double largest = inertia.cwiseAbs().maxCoeff();
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > kSymmetryTolerance * largest) {
    return "the inertia is not symmetric";
  }

  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (inertia(j, j) + inertia(k, k) >= inertia(i, i) * (1.0 - kTriangleTolerance)) continue;
    const auto name = [](int axis) { return "xyz"[axis]; };
    return fmt::format("the inertia violates I{0}{0} + I{1}{1} >= I{2}{2} ({3} + {4} < {5})",
                       name(std::min(j, k)), name(std::max(j, k)), name(i),
                       format_number(inertia(std::min(j, k), std::min(j, k))),
                       format_number(inertia(std::max(j, k), std::max(j, k))), format_number(inertia(i, i)));
  }
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const auto text = [&](int i) { return fmt::format("{:.6g}", moments(i)); };
  if (moments(0) <= kZero * moments(2)) {
    return fmt::format("the inertia is not positive definite: its principal moments are {}, {} and {}", text(0),
                       text(1), text(2));
  }
  if (moments(0) + moments(1) < moments(2) * (1.0 - kTriangleTolerance)) {
    return fmt::format("the principal moments of inertia violate A + B >= C ({} + {} < {})", text(0), text(1),
                       text(2));
  }
  return "";
}

}  // namespace lockstep
