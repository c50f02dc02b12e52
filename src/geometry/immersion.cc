#include "geometry/immersion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "geometry/mass.h"

namespace lockstep {
namespace {

/// The water surface in the frame of the shape: a point p_S is height(p_S) above it.
struct Surface {
  Vec3 up_S = Vec3::UnitZ();  ///< the world's z
  double offset = 0.0;        ///< height of the shape's origin above the surface, m

  Surface(const Pose& X_WS, double level)
      : up_S(X_WS.q.conjugate() * Vec3::UnitZ()), offset(X_WS.p.z() - level) {}

  double height(const Vec3& p_S) const { return up_S.dot(p_S) + offset; }
  Vec3 projected(const Vec3& p_S) const { return p_S - height(p_S) * up_S; }
};

/// Volume and first moment below the water surface, by the divergence theorem: the sum of the tetrahedra
/// between an apex and the wet part of each face. With the apex on the water surface, the cap of the wet volume
/// has no contribution and need not be built.
class WetSum {
 public:
  WetSum(const Surface& surface, const Vec3& apex) : surface_(surface), apex_(apex) {}

  /// Adds the wet part of a face, counter-clockwise seen from outside.
  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    add(a, b, c, surface_.height(a), surface_.height(b), surface_.height(c));
  }

  void add(const Vec3& a, const Vec3& b, const Vec3& c, double ha, double hb, double hc) {
    const int wet = (ha < 0.0) + (hb < 0.0) + (hc < 0.0);
    if (wet == 0) return;
    if (wet == 3) return add_wet(a, b, c);
    // Rotate the corners so that the one alone on its side comes first.
    const bool alone = wet == 1;
    if ((hb < 0.0) == alone) return add_cut(b, c, a, hb, hc, ha, alone);
    if ((hc < 0.0) == alone) return add_cut(c, a, b, hc, ha, hb, alone);
    add_cut(a, b, c, ha, hb, hc, alone);
  }

  Immersion result(const Pose& X_WS) const {
    // Rounding left when the tetrahedra should cancel. No centre can be computed from it.
    constexpr double kNoise = 1e-15;
    if (six_volume_ <= kNoise * magnitude_) return {};
    return {six_volume_ / 6.0, X_WS * Vec3(apex_ + moment_ / (4.0 * six_volume_))};
  }

 private:
  void add_cut(const Vec3& a, const Vec3& b, const Vec3& c, double ha, double hb, double hc, bool a_is_wet) {
    const Vec3 ab = a + (b - a) * (ha / (ha - hb));
    const Vec3 ac = a + (c - a) * (ha / (ha - hc));
    if (a_is_wet) return add_wet(a, ab, ac);
    add_wet(ab, b, c);
    add_wet(ab, c, ac);
  }

  void add_wet(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 p = a - apex_, q = b - apex_, r = c - apex_;
    const double six_volume = p.dot(q.cross(r));
    six_volume_ += six_volume;
    magnitude_ += std::abs(six_volume);
    moment_ += six_volume * (p + q + r);
  }

  const Surface& surface_;
  Vec3 apex_;
  double six_volume_ = 0.0;
  double magnitude_ = 0.0;
  Vec3 moment_ = Vec3::Zero();
};

/// One circle of a body of revolution about z. A radius of zero is a pole.
struct Ring {
  double radius = 0.0;
  double z = 0.0;
};

/// Corners of the regular polygon that replaces a circle, and circles of half a sphere, including the pole,
/// excluding the equator. Measured over many poses, the error is a quarter of the limit in the header.
constexpr std::size_t kSides = 16;
constexpr std::size_t kCapRings = 4;

/// A polygon with the area of the unit circle; the first corner is repeated at the end.
struct Circle {
  double radius = 1.0;  ///< of the corners, a little more than 1
  std::array<double, kSides + 1> x{}, y{};
};

const Circle& unit_circle() {
  static const Circle circle = [] {
    Circle c;
    c.radius = std::sqrt(2.0 * std::numbers::pi / (kSides * std::sin(2.0 * std::numbers::pi / kSides)));
    for (std::size_t i = 0; i <= kSides; ++i) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(i % kSides) / kSides;
      c.x[i] = c.radius * std::cos(angle);
      c.y[i] = c.radius * std::sin(angle);
    }
    return c;
  }();
  return circle;
}

using Cap = std::array<Ring, kCapRings + 1>;

/// The upper half of a unit sphere, from the pole to the equator. Rings on the sphere would enclose too little,
/// so all but the equator are widened by the factor w that makes the volume of the cone frustums between them
/// exact:  sum (r^2 + r s + s^2) h / 3 = 2/3,  a quadratic equation in w.
const Cap& unit_cap() {
  static const Cap cap = [] {
    Cap c;
    for (std::size_t i = 0; i < kCapRings; ++i) {
      const double angle = 0.5 * std::numbers::pi * static_cast<double>(i) / kCapRings;
      c[i] = {std::sin(angle), std::cos(angle)};
    }
    c[kCapRings] = {1.0, 0.0};

    const Ring last = c[kCapRings - 1];
    double square = last.radius * last.radius * last.z;
    for (std::size_t i = 1; i < kCapRings; ++i) {
      const double r = c[i - 1].radius, s = c[i].radius;
      square += (r * r + r * s + s * s) * (c[i - 1].z - c[i].z);
    }
    const double linear = last.radius * last.z;
    const double constant = last.z - 2.0;
    const double widening = (std::sqrt(linear * linear - 4.0 * square * constant) - linear) / (2.0 * square);
    for (std::size_t i = 0; i < kCapRings; ++i) c[i].radius *= widening;
    return c;
  }();
  return cap;
}

struct Corner {
  Vec3 p_S = Vec3::Zero();
  double height = 0.0;  ///< above the surface
};
using RingCorners = std::array<Corner, kSides + 1>;

RingCorners make_corners(const Ring& ring, const Surface& surface) {
  const Circle& circle = unit_circle();
  RingCorners corners;
  for (std::size_t k = 0; k <= kSides; ++k) {
    corners[k].p_S = Vec3(ring.radius * circle.x[k], ring.radius * circle.y[k], ring.z);
    corners[k].height = surface.height(corners[k].p_S);
  }
  return corners;
}

/// A body of revolution with the centre at its origin and the given volume, of rings from the lower pole to the
/// upper one.
Immersion calc_revolved(std::span<const Ring> rings, double volume, const Pose& X_WS, double level) {
  const Surface surface(X_WS, level);
  // Fully dry or wet is the common case. Uses the corners, not the exact shape, to avoid a discontinuity.
  const double slope = unit_circle().radius * surface.up_S.head<2>().norm();
  double reach = 0.0;
  for (const Ring& ring : rings) {
    reach = std::max(reach, std::abs(surface.up_S.z() * ring.z) + slope * ring.radius);
  }
  if (surface.offset >= reach) return {};
  if (surface.offset <= -reach) return {volume, X_WS.p};

  WetSum sum(surface, surface.projected(Vec3::Zero()));
  RingCorners lower = make_corners(rings[0], surface);
  for (std::size_t i = 1; i < rings.size(); ++i) {
    const RingCorners upper = make_corners(rings[i], surface);
    for (std::size_t k = 0; k < kSides; ++k) {
      const Corner &a = lower[k], &b = lower[k + 1], &c = upper[k + 1], &d = upper[k];
      if (rings[i - 1].radius > 0.0) sum.add(a.p_S, b.p_S, c.p_S, a.height, b.height, c.height);
      if (rings[i].radius > 0.0) sum.add(a.p_S, c.p_S, d.p_S, a.height, c.height, d.height);
    }
    lower = upper;
  }
  return sum.result(X_WS);
}

}  // namespace

Immersion calc_immersion(const Box& box, const Pose& X_WS, double level) {
  // Corner i has its x, y, z on the positive side where bits 0, 1, 2 of i are set.
  // clang-format off
  static constexpr std::array<std::array<std::uint8_t, 3>, 12> kFaces{{
      {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}}};
  // clang-format on
  const Surface surface(X_WS, level);
  const double reach = 0.5 * surface.up_S.cwiseAbs().dot(box.size);
  if (surface.offset >= reach) return {};
  if (surface.offset <= -reach) return {box.size.prod(), X_WS.p};

  std::array<Vec3, 8> corners;
  std::array<double, 8> heights;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 sign((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5);
    corners[i] = sign.cwiseProduct(box.size);
    heights[i] = surface.height(corners[i]);
  }
  WetSum sum(surface, surface.projected(Vec3::Zero()));
  for (const auto& [a, b, c] : kFaces) {
    sum.add(corners[a], corners[b], corners[c], heights[a], heights[b], heights[c]);
  }
  return sum.result(X_WS);
}

Immersion calc_immersion(const Sphere& sphere, const Pose& X_WS, double level) {
  const double r = sphere.radius;
  const double depth = std::clamp(level - X_WS.p.z() + r, 0.0, 2.0 * r);
  if (depth <= 0.0) return {};
  // A spherical cap of this depth, and the distance of its centroid below the centre of the sphere.
  const double volume = std::numbers::pi * depth * depth * (r - depth / 3.0);
  const double below = 0.75 * (2.0 * r - depth) * (2.0 * r - depth) / (3.0 * r - depth);
  return {volume, X_WS.p - below * Vec3::UnitZ()};
}

Immersion calc_immersion(const Capsule& capsule, const Pose& X_WS, double level) {
  const Cap& cap = unit_cap();
  std::array<Ring, 2 * (kCapRings + 1)> rings;
  for (std::size_t i = 0; i <= kCapRings; ++i) {
    const Ring ring{capsule.radius * cap[i].radius, 0.5 * capsule.length + capsule.radius * cap[i].z};
    rings[i] = {ring.radius, -ring.z};
    rings[rings.size() - 1 - i] = ring;
  }
  return calc_revolved(rings, unit_mass(capsule).mass, X_WS, level);
}

Immersion calc_immersion(const Cylinder& cylinder, const Pose& X_WS, double level) {
  const double r = cylinder.radius, half = 0.5 * cylinder.length;
  const std::array<Ring, 4> rings{{{0.0, -half}, {r, -half}, {r, half}, {0.0, half}}};
  return calc_revolved(rings, unit_mass(cylinder).mass, X_WS, level);
}

Immersion calc_immersion(const Mesh& mesh, const Pose& X_WS, double level) {
  if (mesh.faces.empty()) return {};
  const Surface surface(X_WS, level);
  double lowest = surface.height(mesh.vertices[0]);
  double highest = lowest;
  for (const Vec3& vertex : mesh.vertices) {
    const double height = surface.height(vertex);
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  }
  if (lowest >= 0.0) return {};
  // Deep under water any apex works; one on the surface would be far away and lose precision.
  const Vec3& near = mesh.vertices[mesh.faces[0][0]];
  WetSum sum(surface, highest < 0.0 ? near : surface.projected(near));
  for (const auto& face : mesh.faces) {
    sum.add(mesh.vertices[face[0]], mesh.vertices[face[1]], mesh.vertices[face[2]]);
  }
  return sum.result(X_WS);
}

double calc_projected_area(const Box& box, const Vec3& direction_S) {
  const Vec3 sides(box.size.y() * box.size.z(), box.size.z() * box.size.x(), box.size.x() * box.size.y());
  return sides.dot(direction_S.cwiseAbs());
}

double calc_projected_area(const Sphere& sphere, const Vec3&) {
  return std::numbers::pi * sphere.radius * sphere.radius;
}

double calc_projected_area(const Capsule& capsule, const Vec3& direction_S) {
  const double across = direction_S.head<2>().norm();
  return std::numbers::pi * capsule.radius * capsule.radius + 2.0 * capsule.radius * capsule.length * across;
}

double calc_projected_area(const Cylinder& cylinder, const Vec3& direction_S) {
  const double across = direction_S.head<2>().norm();
  const double end = std::numbers::pi * cylinder.radius * cylinder.radius;
  return end * std::abs(direction_S.z()) + 2.0 * cylinder.radius * cylinder.length * across;
}

double calc_projected_area(const Mesh& mesh, const Vec3& direction_S) {
  // A line through a convex shape passes one front and one back face, so each half of the sum is the whole
  // projection.
  double twice_sum = 0.0;
  for (const auto& face : mesh.faces) {
    const Vec3 a = mesh.vertices[face[1]] - mesh.vertices[face[0]];
    const Vec3 b = mesh.vertices[face[2]] - mesh.vertices[face[0]];
    twice_sum += std::abs(direction_S.dot(a.cross(b)));
  }
  return 0.25 * twice_sum;
}

}  // namespace lockstep
