#include "geometry/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "geometry/hull.h"
#include "geometry/mass.h"
#include "geometry/mesh_topology.h"

namespace lockstep {
namespace {

using Face = std::array<std::uint32_t, 3>;

// Distance of vertices to merge, from programs that round each face separately. Relative to the size.
constexpr double kWeldDistance = 1e-6;
// Maximum perimeter of a hole that is closed regardless of its form: a missing triangle or two. Relative to
// size.
constexpr double kSmallHole = 0.05;
// Maximum deviation from a plane of the rim of a larger hole: the open end of a tube. Relative to the size.
constexpr double kFlatHole = 1e-3;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many);
}

void flip(Face& face) {
  std::swap(face[1], face[2]);
}

/// Removes duplicate faces. Returns their number.
std::size_t remove_duplicate_faces(Mesh& mesh) {
  std::vector<std::pair<Face, std::uint32_t>> keys;
  keys.reserve(mesh.faces.size());
  for (std::uint32_t i = 0; i < mesh.faces.size(); ++i) {
    Face key = mesh.faces[i];
    std::sort(key.begin(), key.end());
    keys.emplace_back(key, i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<bool> repeats(mesh.faces.size(), false);
  for (std::size_t i = 1; i < keys.size(); ++i) repeats[keys[i].second] = keys[i].first == keys[i - 1].first;
  std::vector<Face> kept;
  for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
    if (!repeats[i]) kept.push_back(mesh.faces[i]);
  }
  const std::size_t dropped = mesh.faces.size() - kept.size();
  mesh.faces = std::move(kept);
  return dropped;
}

/// Six times the volume between the origin and the faces.
double six_volume(const Mesh& mesh, const std::vector<std::uint32_t>& faces) {
  double sum = 0.0;
  for (const std::uint32_t f : faces) {
    const Face& face = mesh.faces[f];
    sum += mesh.vertices[face[0]].dot(mesh.vertices[face[1]].cross(mesh.vertices[face[2]]));
  }
  return sum;
}

/// Flips faces so that neighbours have the same orientation, and changed pieces face outwards. Returns the
/// number of flipped faces.
std::size_t orient_faces(Mesh& mesh) {
  const FaceNeighbours neighbours(mesh);
  std::vector<bool> is_turned(mesh.faces.size(), false), is_seen(mesh.faces.size(), false);
  std::vector<std::uint32_t> piece;
  for (std::uint32_t first = 0; first < mesh.faces.size(); ++first) {
    if (is_seen[first]) continue;
    piece.assign(1, first);
    is_seen[first] = true;
    bool any_turned = false;
    for (std::size_t at = 0; at < piece.size(); ++at) {
      for (const auto& [other, same_direction] : neighbours.of(piece[at])) {
        if (is_seen[other]) continue;
        is_seen[other] = true;
        is_turned[other] = is_turned[piece[at]] != same_direction;
        any_turned = any_turned || is_turned[other];
        piece.push_back(other);
      }
    }
    if (!any_turned) continue;
    for (const std::uint32_t f : piece) {
      if (is_turned[f]) flip(mesh.faces[f]);
    }
    if (six_volume(mesh, piece) >= 0.0) continue;
    for (const std::uint32_t f : piece) {
      flip(mesh.faces[f]);
      is_turned[f] = !is_turned[f];
    }
  }
  return static_cast<std::size_t>(std::count(is_turned.begin(), is_turned.end(), true));
}

/// The rims of the holes, each in the direction of the missing faces. Empty if they cross.
std::vector<std::vector<std::uint32_t>> find_rims(const Mesh& mesh) {
  std::map<std::uint32_t, std::uint32_t> next;  // against the direction of the existing face
  for (const OpenSide& side : find_open_sides(mesh)) {
    if (!next.emplace(side.to, side.from).second) return {};
  }
  std::vector<std::vector<std::uint32_t>> rims;
  while (!next.empty()) {
    std::vector<std::uint32_t> rim;
    for (auto at = next.begin(); at != next.end(); at = next.find(rim.back())) {
      if (rim.empty()) rim.push_back(at->first);
      rim.push_back(at->second);
      next.erase(at);
    }
    if (rim.front() != rim.back()) return {};
    rim.pop_back();
    rims.push_back(std::move(rim));
  }
  return rims;
}

bool may_close(const Mesh& mesh, const std::vector<std::uint32_t>& rim, double size) {
  double way = 0.0;
  Vec3 center = Vec3::Zero(), normal = Vec3::Zero();
  for (std::size_t i = 0; i < rim.size(); ++i) {
    const Vec3 &a = mesh.vertices[rim[i]], &b = mesh.vertices[rim[(i + 1) % rim.size()]];
    way += (b - a).norm();
    center += a / static_cast<double>(rim.size());
    normal += (a - mesh.vertices[rim[0]]).cross(b - mesh.vertices[rim[0]]);
  }
  if (way <= kSmallHole * size) return true;
  normal.normalize();
  return std::all_of(rim.begin(), rim.end(), [&](std::uint32_t v) {
    return std::abs((mesh.vertices[v] - center).dot(normal)) <= kFlatHole * size;
  });
}

/// A fan about the centre of the rim. Its volume is correct even if the fan overlaps itself.
void close_rim(Mesh& mesh, const std::vector<std::uint32_t>& rim) {
  if (rim.size() == 3) {
    mesh.faces.push_back({rim[0], rim[1], rim[2]});
    return;
  }
  Vec3 center = Vec3::Zero();
  for (const std::uint32_t v : rim) center += mesh.vertices[v] / static_cast<double>(rim.size());
  const auto middle = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.push_back(center);
  for (std::size_t i = 0; i < rim.size(); ++i)
    mesh.faces.push_back({middle, rim[i], rim[(i + 1) % rim.size()]});
}

enum class Holes { kSmallOrFlat, kAll };

/// Returns the number of closed holes.
std::size_t close_holes(Mesh& mesh, Holes which) {
  const double size = calc_size(mesh);
  std::size_t closed = 0;
  for (const auto& rim : find_rims(mesh)) {
    if (rim.size() < 3 || !(which == Holes::kAll || may_close(mesh, rim, size))) continue;
    close_rim(mesh, rim);
    ++closed;
  }
  return closed;
}

/// One connected piece with its holes closed.
std::optional<ClosedMesh> close_piece(Mesh piece) {
  ClosedMesh closed{.mesh = std::move(piece), .holes = 0};
  // A surface that is closed already may be that of a cavity, which faces inwards.
  if (find_open_sides(closed.mesh).empty() && find_mesh_defect(closed.mesh) == "its faces point inwards")
    return closed;
  remove_duplicate_faces(closed.mesh);
  orient_faces(closed.mesh);
  closed.holes = close_holes(closed.mesh, Holes::kAll);
  if (find_mesh_defect(closed.mesh) == "its faces point inwards")
    std::for_each(closed.mesh.faces.begin(), closed.mesh.faces.end(), flip);
  if (!find_mesh_defect(closed.mesh).empty()) return std::nullopt;
  // A fan over a rim that winds around may enclose more than there is.
  constexpr double kRounding = 1e-6;
  const double most = unit_mass(convex_hull(closed.mesh.vertices)).mass;
  if (unit_mass(closed.mesh).mass > (1.0 + kRounding) * most) return std::nullopt;
  return closed;
}

}  // namespace

std::optional<ClosedMesh> close_mesh(const Mesh& mesh) {
  ClosedMesh whole;
  for (Mesh& piece : connected_pieces(welded(mesh, kWeldDistance * calc_size(mesh)))) {
    const auto closed = close_piece(std::move(piece));
    if (!closed) continue;
    whole.holes += closed->holes;
    const auto first = static_cast<std::uint32_t>(whole.mesh.vertices.size());
    whole.mesh.vertices.insert(whole.mesh.vertices.end(), closed->mesh.vertices.begin(),
                               closed->mesh.vertices.end());
    for (const auto& [a, b, c] : closed->mesh.faces)
      whole.mesh.faces.push_back({first + a, first + b, first + c});
  }
  if (!find_mesh_defect(whole.mesh).empty()) return std::nullopt;
  return whole;
}

RepairedMesh repair_mesh(const Mesh& mesh) {
  RepairedMesh result{.mesh = mesh, .done = {}, .defect = find_mesh_defect(mesh)};
  if (result.defect.empty()) return result;
  Mesh fixed = welded(mesh, kWeldDistance * calc_size(mesh));
  std::vector<std::string> done;
  if (fixed.vertices.size() < mesh.vertices.size()) {
    done.push_back(
        fmt::format("merged {} that nearly coincide",
                    counted(mesh.vertices.size() - fixed.vertices.size() + 1, "vertex", "vertices")));
  }
  if (const std::size_t dropped = remove_duplicate_faces(fixed))
    done.push_back(fmt::format("removed {}", counted(dropped, "duplicate face", "duplicate faces")));
  if (const std::size_t turned = orient_faces(fixed))
    done.push_back(fmt::format("flipped {} to the outside", counted(turned, "face", "faces")));
  if (const std::size_t closed = close_holes(fixed, Holes::kSmallOrFlat))
    done.push_back(fmt::format("closed {}", counted(closed, "hole", "holes")));
  if (find_mesh_defect(fixed) == "its faces point inwards") {
    std::for_each(fixed.faces.begin(), fixed.faces.end(), flip);
    done.emplace_back("flipped the whole surface");
  }
  std::string defect = find_mesh_defect(fixed);
  if (!defect.empty()) {
    result.defect = std::move(defect);
    return result;
  }
  return {.mesh = std::move(fixed), .done = std::move(done), .defect = {}};
}

}  // namespace lockstep
