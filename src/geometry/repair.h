#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geometry/mesh_topology.h"
#include "lockstep/shapes.h"

namespace lockstep {

struct RepairedMesh {
  Mesh mesh;
  std::vector<std::string> done;  ///< such as "closed 2 holes"; empty if no repair was needed
  std::string defect;             ///< the remaining defect, from find_mesh_defect(); empty if none
};

/// Makes a mesh enclose a volume, as far as possible without guessing: merges vertices that nearly coincide,
/// removes duplicate faces, flips faces to the outside, and closes small or flat holes. Returns the mesh
/// unchanged if it needs no repair or cannot be repaired.
RepairedMesh repair_mesh(const Mesh& mesh);

struct ClosedMesh {
  Mesh mesh;              ///< encloses a volume; without the pieces that cannot be closed
  std::size_t holes = 0;  ///< that were closed
};

/// An open mesh with all its holes closed, however large: for the mass of a part that has a volume in reality.
/// Empty if no piece of it can be closed.
std::optional<ClosedMesh> close_mesh(const Mesh& mesh);

}  // namespace lockstep
