#pragma once

#include <string>
#include <vector>

#include "geometry/mesh_topology.h"
#include "lockstep/shapes.h"

namespace lockstep {

struct RepairedMesh {
  Mesh mesh;
  std::vector<std::string> done;  ///< "closed 2 holes", each what was done; empty if nothing was needed
  std::string defect;             ///< what is still wrong, as find_mesh_defect() says it; empty if nothing
};

/// Makes a mesh enclose a volume, as far as that can be done without guessing: joins vertices that nearly
/// coincide, drops faces that are there twice, turns faces to the outside, and closes holes that are small or
/// flat. The mesh is returned as it was if it needs no repair or cannot be repaired.
RepairedMesh repair_mesh(const Mesh& mesh);

}  // namespace lockstep
