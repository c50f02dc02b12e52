#include "geometry/mesh_topology.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace lockstep {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The mesh of some faces, with the vertices that they use.
Mesh extract(const Mesh& mesh, const std::vector<std::uint32_t>& faces, std::vector<std::uint32_t>& new_index) {
  Mesh piece;
  for (const std::uint32_t f : faces) {
    auto face = mesh.faces[f];
    for (std::uint32_t& corner : face) {
      if (new_index[corner] == kNone) {
        new_index[corner] = static_cast<std::uint32_t>(piece.vertices.size());
        piece.vertices.push_back(mesh.vertices[corner]);
      }
      corner = new_index[corner];
    }
    piece.faces.push_back(face);
  }
  return piece;
}

}  // namespace

std::vector<Side> sorted_sides(const Mesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.faces.size());
  for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t from = mesh.faces[f][i], to = mesh.faces[f][(i + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), from < to, f});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.low, a.high, a.face) < std::tie(b.low, b.high, b.face);
  });
  return sides;
}

std::vector<OpenSide> find_open_sides(const Mesh& mesh) {
  std::vector<OpenSide> open;
  for_each_edge(sorted_sides(mesh), [&](std::span<const Side> edge) {
    if (edge.size() != 1) return;
    open.push_back(edge[0].upwards ? OpenSide{edge[0].low, edge[0].high} : OpenSide{edge[0].high, edge[0].low});
  });
  return open;
}

FaceNeighbours::FaceNeighbours(const Mesh& mesh) : begin_(mesh.faces.size() + 1, 0) {
  const std::vector<Side> sides = sorted_sides(mesh);
  for_each_edge(sides, [&](std::span<const Side> edge) {
    if (edge.size() != 2) return;
    for (const Side& side : edge) ++begin_[side.face + 1];
  });
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  all_.resize(begin_.back());
  std::vector<std::size_t> at(begin_.begin(), begin_.end() - 1);
  for_each_edge(sides, [&](std::span<const Side> edge) {
    if (edge.size() != 2) return;
    const bool same = edge[0].upwards == edge[1].upwards;
    all_[at[edge[0].face]++] = {edge[1].face, same};
    all_[at[edge[1].face]++] = {edge[0].face, same};
  });
}

std::vector<Mesh> connected_pieces(const Mesh& mesh) {
  // Union-find: each vertex points to another of its piece, the root to itself.
  std::vector<std::uint32_t> root(mesh.vertices.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const auto& face : mesh.faces) {
    for (std::size_t i = 1; i < 3; ++i) {
      const std::uint32_t a = find(face[0]), b = find(face[i]);
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::uint32_t> piece_of(mesh.vertices.size(), kNone);
  std::vector<std::vector<std::uint32_t>> pieces;
  for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
    std::uint32_t& piece = piece_of[find(mesh.faces[f][0])];
    if (piece == kNone) {
      piece = static_cast<std::uint32_t>(pieces.size());
      pieces.emplace_back();
    }
    pieces[piece].push_back(f);
  }
  std::vector<Mesh> result;
  std::vector<std::uint32_t> new_index(mesh.vertices.size(), kNone);
  for (const auto& faces : pieces) result.push_back(extract(mesh, faces, new_index));
  return result;
}

double calc_size(const Mesh& mesh) {
  Eigen::AlignedBox3d bounds;
  for (const Vec3& vertex : mesh.vertices) bounds.extend(vertex);
  return bounds.isEmpty() ? 0.0 : bounds.diagonal().norm();
}

Mesh welded(const Mesh& mesh, double distance) {
  // A vertex is merged into an earlier one that is close enough. Sorted along an arbitrary oblique direction,
  // the candidates are adjacent.
  const Vec3 skew = Vec3(0.6018, 0.5319, 0.5957).normalized();
  std::vector<double> along;
  for (const Vec3& vertex : mesh.vertices) along.push_back(skew.dot(vertex));
  std::vector<std::uint32_t> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::tie(along[a], a) < std::tie(along[b], b); });
  // A malicious file must not cause quadratic time.
  constexpr std::size_t kMaxLookedAt = 4000;
  std::vector<std::uint32_t> target(mesh.vertices.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Vec3& vertex = mesh.vertices[order[i]];
    target[order[i]] = order[i];
    for (std::size_t j = i; j-- > 0 && i - j < kMaxLookedAt;) {
      const Vec3& other = mesh.vertices[order[j]];
      if (along[order[i]] - along[order[j]] > distance) break;
      if (target[order[j]] != order[j] || (vertex - other).squaredNorm() > distance * distance) continue;
      target[order[i]] = order[j];
      break;
    }
  }
  Mesh joined;
  joined.vertices = mesh.vertices;
  for (auto face : mesh.faces) {
    for (std::uint32_t& corner : face) corner = target[corner];
    if (face[0] != face[1] && face[1] != face[2] && face[2] != face[0]) joined.faces.push_back(face);
  }
  std::vector<std::uint32_t> all(joined.faces.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<std::uint32_t> new_index(mesh.vertices.size(), kNone);
  return extract(joined, all, new_index);
}

}  // namespace lockstep
