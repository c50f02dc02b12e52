#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lockstep/error.h"
#include "lockstep/shapes.h"

namespace lockstep {

/// Reads an OBJ or STL (text or binary) mesh; the extension of `file_name` decides. The formats have no
/// units: numbers are read as metres.
///
/// All objects, groups and solids of the file become one mesh. Polygons are split into fans of triangles, equal
/// vertices are merged, and triangles with two equal corners and vertices without a face are omitted. The
/// orientation of a face is given by the order of its corners; normals are ignored, as are materials and
/// texture.
///
/// Throws UserError at `place` (where the scenario references the file) with the line inside the file for text
/// formats. Sizes are checked before memory is allocated.
Mesh read_mesh(std::span<const std::uint8_t> bytes, std::string_view file_name, const Place& place);

inline constexpr std::size_t kMaxMeshVertices = 1'000'000;
inline constexpr std::size_t kMaxMeshFaces = 2'000'000;
inline constexpr double kMaxMeshCoordinate = 1e9;  ///< m; larger only in broken files

}  // namespace lockstep
