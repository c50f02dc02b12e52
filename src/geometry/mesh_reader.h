#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lockstep/error.h"
#include "lockstep/shapes.h"

namespace lockstep {

/// Reads an OBJ or STL (text or binary) mesh; the ending of `file_name` says which. Neither format knows
/// units: the numbers are taken as metres.
///
/// All objects, groups and solids of the file become one mesh. Polygons are cut into fans of triangles, equal
/// vertices are merged, and triangles with two equal corners and vertices without a face are omitted. The
/// side a face shows is given by the order of its corners; normals are ignored, as are materials and texture.
///
/// Throws UserError at `place` (where the scenario names the file) with the line inside the file for text
/// formats. Sizes are checked before memory is taken.
Mesh read_mesh(std::span<const std::uint8_t> bytes, std::string_view file_name, const Place& place);

inline constexpr std::size_t kMaxMeshVertices = 1'000'000;
inline constexpr std::size_t kMaxMeshFaces = 2'000'000;
inline constexpr double kMaxMeshCoordinate = 1e9;  ///< m; no machine is larger, but broken files are

}  // namespace lockstep
