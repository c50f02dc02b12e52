#pragma once

#include <string>

#include "lockstep/shapes.h"

/// Arbitrary meshes for MuJoCo to draw. Its compiler rejects meshes without volume, and moves the others to
/// their centre of mass and principal axes. So it compiles a placeholder with the same number of vertices and
/// faces, which are replaced by the true ones afterwards.
namespace lockstep {

/// The placeholder as a file in MuJoCo's binary format.
std::string write_placeholder(const Mesh& mesh);

/// Replaces a placeholder by its mesh. `vertices`, `normals` and `faces` have 3 entries per vertex or face of
/// the placeholder.
void fill_placeholder(const Mesh& mesh, float* vertices, float* normals, int* faces);

/// The surface of a heightmap with walls around it, `size` as in HeightmapGeometry. Large maps use every n-th
/// point.
Mesh make_terrain_mesh(const Heightmap& map, const Vec3& size);

}  // namespace lockstep
