#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "geometry/mass.h"
#include "geometry/mesh_topology.h"

namespace lockstep {
namespace {

std::string edges(std::size_t count) {
  return count == 1 ? "1 edge" : fmt::format("{} edges", count);
}

/// Every edge must be used as often in one direction as in the other. More than twice where closed surfaces touch.
std::string find_edge_defect(const Mesh& mesh) {
  std::size_t open = 0, crowded = 0, twisted = 0;
  for_each_edge(sorted_sides(mesh), [&](std::span<const Side> edge) {
    if (edge.size() == 1) ++open;
    const auto upwards = std::count_if(edge.begin(), edge.end(), [](const Side& side) { return side.upwards; });
    if (edge.size() > 2 && 2 * static_cast<std::size_t>(upwards) != edge.size()) ++crowded;
    if (edge.size() == 2 && edge[0].upwards == edge[1].upwards) ++twisted;
  });
  if (open > 0) return fmt::format("it is open at {}", edges(open));
  if (crowded > 0) return fmt::format("more than two faces meet at {}", edges(crowded));
  if (twisted > 0) return fmt::format("neighbouring faces have opposite orientations at {}", edges(twisted));
  return "";
}

}  // namespace

std::string find_mesh_defect(const Mesh& mesh) {
  // Rounding of the volume of a flat mesh, relative to its bounding cube.
  constexpr double kFlat = 1e-13;

  if (mesh.faces.empty()) return "it has no faces";
  for (const auto& face : mesh.faces) {
    const std::uint32_t last = std::max({face[0], face[1], face[2]});
    if (last >= mesh.vertices.size())
      return fmt::format("a face references vertex {} of {}", last, mesh.vertices.size());
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
