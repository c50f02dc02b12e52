#pragma once

#include <string>

#include "lockstep/shapes.h"

/// Meshes of any form for MuJoCo to draw. Its compiler rejects those that enclose no volume, moves the others
/// to their centre of mass and turns them to their principal axes. So it is given a stand-in with as many
/// vertices and faces, which then make place for the true ones.
namespace lockstep {

/// The stand-in as a file in MuJoCo's binary form.
std::string write_stand_in(const Mesh& mesh);

/// Puts a mesh in the place of its stand-in. `vertices` and `normals` have room for 3 numbers, `faces` for 3
/// indices of each that the stand-in has.
void fill_stand_in(const Mesh& mesh, float* vertices, float* normals, int* faces);

/// The surface of a heightmap and the walls around it, `size` as in HeightmapGeometry. Large maps are drawn
/// from every n-th point.
Mesh make_terrain_mesh(const Heightmap& map, const Vec3& size);

}  // namespace lockstep
