#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lockstep/shapes.h"

/// Connectivity of the faces of a mesh.
namespace lockstep {

/// One side of a face, in counter-clockwise direction (a half-edge).
struct Side {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  bool upwards = false;  ///< from low to high
  std::uint32_t face = 0;
};

/// The sides of all faces, grouped by edge.
std::vector<Side> sorted_sides(const Mesh& mesh);

/// Calls `visit` with the sides of each edge.
template <typename Visit>
void for_each_edge(std::span<const Side> sides, Visit visit) {
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    while (end < sides.size() && sides[end].low == sides[begin].low && sides[end].high == sides[begin].high)
      ++end;
    visit(sides.subspan(begin, end - begin));
  }
}

/// A side of a face that no other face shares, in the direction of the face.
struct OpenSide {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};
std::vector<OpenSide> find_open_sides(const Mesh& mesh);

/// The neighbours of each face across edges with exactly two faces.
class FaceNeighbours {
 public:
  explicit FaceNeighbours(const Mesh& mesh);

  /// A face, and whether both use the common edge in the same direction, so that one of them is flipped.
  using Neighbour = std::pair<std::uint32_t, bool>;
  std::span<const Neighbour> of(std::uint32_t face) const {
    return {all_.data() + begin_[face], begin_[face + 1] - begin_[face]};
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Neighbour> all_;
};

/// The pieces of a mesh connected by common vertices, in the order of their first faces.
std::vector<Mesh> connected_pieces(const Mesh& mesh);

/// Merges vertices closer than `distance` and removes faces that become degenerate.
Mesh welded(const Mesh& mesh, double distance);

/// The diagonal of the bounding box, m; tolerances are relative to it.
double calc_size(const Mesh& mesh);

}  // namespace lockstep
