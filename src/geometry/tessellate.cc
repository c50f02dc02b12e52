#include "geometry/tessellate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep {

namespace {

struct ProfilePoint {
  double r = 0.0;  ///< from the axis; 0 is a pole
  double z = 0.0;
};

/// Number of segments of a full circle within the deviation; a multiple of 4.
std::size_t count_segments(double radius, double deviation) {
  constexpr double kMin = 16.0, kMax = 512.0;
  const double cosine = std::clamp(1.0 - deviation / radius, -1.0, 1.0);
  const double wanted = cosine < 1.0 ? std::numbers::pi / std::acos(cosine) : kMax;
  return 4 * static_cast<std::size_t>(std::ceil(std::clamp(wanted, kMin, kMax) / 4.0));
}

/// The surface of revolution about z of a profile, given from its lower to its upper pole.
Mesh revolved(const std::vector<ProfilePoint>& profile, std::size_t segments) {
  Mesh mesh;
  std::vector<std::uint32_t> rings;  // first vertex of each
  for (const ProfilePoint& point : profile) {
    rings.push_back(static_cast<std::uint32_t>(mesh.vertices.size()));
    for (std::size_t i = 0; i < (point.r > 0.0 ? segments : 1); ++i) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(segments);
      mesh.vertices.emplace_back(point.r * std::cos(angle), point.r * std::sin(angle), point.z);
    }
  }
  const auto vertex = [&](std::size_t ring, std::size_t i) {
    const auto offset = profile[ring].r > 0.0 ? i % segments : 0;
    return rings[ring] + static_cast<std::uint32_t>(offset);
  };
  for (std::size_t ring = 0; ring + 1 < profile.size(); ++ring) {
    for (std::size_t i = 0; i < segments; ++i) {
      if (profile[ring].r > 0.0)
        mesh.faces.push_back({vertex(ring, i), vertex(ring, i + 1), vertex(ring + 1, i + 1)});
      if (profile[ring + 1].r > 0.0)
        mesh.faces.push_back({vertex(ring, i), vertex(ring + 1, i + 1), vertex(ring + 1, i)});
    }
  }
  return mesh;
}

/// Two half circles whose centres are `length` apart; only the end points are poles.
Mesh round_ended(double radius, double length, double deviation) {
  const std::size_t segments = count_segments(radius, deviation);
  const std::size_t quarter = segments / 4;
  std::vector<ProfilePoint> profile = {{0.0, -0.5 * length - radius}};
  const auto add = [&](std::size_t i, double center) {
    const double angle = 0.5 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(quarter);
    profile.push_back({radius * std::sin(angle), center - radius * std::cos(angle)});
  };
  for (std::size_t i = 1; i <= quarter; ++i) add(i, -0.5 * length);
  for (std::size_t i = length > 0.0 ? quarter : quarter + 1; i < 2 * quarter; ++i) add(i, 0.5 * length);
  profile.push_back({0.0, 0.5 * length + radius});
  return revolved(profile, segments);
}

}  // namespace

Mesh tessellated(const Box& box) {
  Mesh mesh;
  const Vec3 half = 0.5 * box.size;
  for (const double z : {-half.z(), half.z()}) {
    mesh.vertices.emplace_back(-half.x(), -half.y(), z);
    mesh.vertices.emplace_back(half.x(), -half.y(), z);
    mesh.vertices.emplace_back(half.x(), half.y(), z);
    mesh.vertices.emplace_back(-half.x(), half.y(), z);
  }
  const auto add_quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    mesh.faces.push_back({a, b, c});
    mesh.faces.push_back({a, c, d});
  };
  add_quad(3, 2, 1, 0);
  add_quad(4, 5, 6, 7);
  add_quad(0, 1, 5, 4);
  add_quad(1, 2, 6, 5);
  add_quad(2, 3, 7, 6);
  add_quad(3, 0, 4, 7);
  return mesh;
}

Mesh tessellated(const Sphere& sphere, double deviation) {
  return round_ended(sphere.radius, 0.0, deviation);
}

Mesh tessellated(const Capsule& capsule, double deviation) {
  return round_ended(capsule.radius, capsule.length, deviation);
}

Mesh tessellated(const Cylinder& cylinder, double deviation) {
  const double half = 0.5 * cylinder.length;
  return revolved({{0.0, -half}, {cylinder.radius, -half}, {cylinder.radius, half}, {0.0, half}},
                  count_segments(cylinder.radius, deviation));
}

}  // namespace lockstep
