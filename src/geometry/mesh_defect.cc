#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "geometry/mass.h"

namespace lockstep {
namespace {

/// One side of a face, as it is passed when walking around the face counter-clockwise.
struct Side {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  bool upwards = false;  ///< from low to high
};

std::vector<Side> sorted_sides(const Mesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.faces.size());
  for (const auto& face : mesh.faces) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t from = face[i], to = face[(i + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), from < to});
    }
  }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
  return sides;
}

std::string edges(std::size_t count) {
  return count == 1 ? "1 edge" : fmt::format("{} edges", count);
}

/// Every edge must be passed exactly twice, once in each direction.
std::string find_edge_defect(const Mesh& mesh) {
  std::size_t open = 0, crowded = 0, twisted = 0;
  const std::vector<Side> sides = sorted_sides(mesh);
  for (auto begin = sides.begin(); begin != sides.end();) {
    const auto end = std::find_if(begin, sides.end(),
                                  [&](const Side& s) { return s.low != begin->low || s.high != begin->high; });
    if (end - begin == 1) ++open;
    if (end - begin > 2) ++crowded;
    if (end - begin == 2 && begin->upwards == (begin + 1)->upwards) ++twisted;
    begin = end;
  }
  if (open > 0) return fmt::format("it is open at {}", edges(open));
  if (crowded > 0) return fmt::format("more than two faces meet at {}", edges(crowded));
  if (twisted > 0) return fmt::format("neighbouring faces point to different sides at {}", edges(twisted));
  return "";
}

}  // namespace

std::string find_mesh_defect(const Mesh& mesh) {
  // What rounding may leave of the volume of a flat mesh, as a part of its bounding cube.
  constexpr double kFlat = 1e-13;

  if (mesh.faces.empty()) return "it has no faces";
  for (const auto& face : mesh.faces) {
    const std::uint32_t last = std::max({face[0], face[1], face[2]});
    if (last >= mesh.vertices.size())
      return fmt::format("a face names vertex {} of {}", last, mesh.vertices.size());
  }
  if (std::string defect = find_edge_defect(mesh); !defect.empty()) return defect;

  Eigen::AlignedBox3d bounds;
  for (const Vec3& vertex : mesh.vertices) bounds.extend(vertex);
  const double volume = unit_mass(mesh).mass;
  if (std::abs(volume) <= kFlat * std::pow(bounds.sizes().maxCoeff(), 3)) return "it is flat";
  if (volume < 0.0) return "its faces point inwards";
  return "";
}

}  // namespace lockstep
