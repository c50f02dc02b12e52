#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/shapes.h"

/// Shared by the mesh readers: limits, error texts and the final clean-up.
namespace lockstep {

/// The file being read, for error texts. Borrowed.
struct MeshSource {
  std::string_view file_name;  ///< empty if `place` is in that file itself
  const Place& place;
};

/// Throws UserError "mesh 'part.obj': line 7: …", or at line 7 of `place`; line 0 means the whole file.
[[noreturn]] void throw_mesh_error(const MeshSource& source, std::size_t line, std::string_view text);

/// Reads one coordinate of a text format; throws unless it is a finite number in kMaxMeshCoordinate.
double read_coordinate(std::string_view word, const MeshSource& source, std::size_t line);

/// Throws unless the coordinates are finite and within kMaxMeshCoordinate. `line` as above.
void check_vertex(const Vec3& vertex, const MeshSource& source, std::size_t line);

/// Removes the next whitespace-separated word from the front of `text`; empty at its end.
std::string_view take_word(std::string_view& text);

/// Merges equal vertices, removes degenerate faces and unused vertices, and keeps the order of the rest. Throws
/// if nothing remains or a limit is exceeded.
Mesh finish_mesh(const std::vector<Vec3>& vertices, std::vector<std::array<std::uint32_t, 3>> faces,
                 const MeshSource& source);

Mesh read_obj(std::string_view text, const MeshSource& source);
Mesh read_stl(std::span<const std::uint8_t> bytes, const MeshSource& source);

/// The faces of one object and group of an OBJ, or of one solid of an STL, in the order of the file.
struct MeshGroup {
  std::string object;     ///< as written; empty if there is none
  int object_number = 0;  ///< distinguishes objects of the same name
  std::string group;
  std::string material;  ///< the one that most faces have
  std::vector<std::array<std::uint32_t, 3>> faces;
  /// By face, if the file has materials: index in GroupedMesh::materials, and the middle of its texture coordinates.
  std::vector<std::uint32_t> materials;
  std::vector<std::array<float, 2>> texture_points;
};

/// A file before its vertices are merged.
struct GroupedMesh {
  std::vector<Vec3> vertices;
  std::vector<MeshGroup> groups;            ///< without empty ones
  std::vector<std::string> material_files;  ///< referenced by an OBJ
  std::vector<std::string> materials;       ///< used by its faces
};

/// All groups as one mesh.
Mesh ungrouped(GroupedMesh mesh, const MeshSource& source);
/// Each group as a mesh, in their order; empty for those with only degenerate faces.
std::vector<std::optional<Mesh>> separated(const GroupedMesh& mesh, const MeshSource& source);

GroupedMesh read_obj_groups(std::string_view text, const MeshSource& source);
GroupedMesh read_stl_groups(std::span<const std::uint8_t> bytes, const MeshSource& source);

}  // namespace lockstep
