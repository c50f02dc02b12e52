#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/shapes.h"

/// An assembly from a CAD or 3D program: a tree of parts, where several parts may share a shape.
namespace lockstep {

enum class FeatureKind : std::uint8_t {
  kCylinder,  ///< a round face seen from outside: a shaft, a pin
  kHole,      ///< a round face seen from inside
  kCircle,    ///< a full circular edge
  kPlane,     ///< a flat face
  kEdge,      ///< a straight edge
};

/// "cylinder", "hole", "circle", "plane", "edge".
std::string_view name(FeatureKind kind);

/// A geometric feature that a joint can be aligned with, in the frame of the shape.
struct Feature {
  FeatureKind kind = FeatureKind::kPlane;
  Vec3 point =
      Vec3::Zero();  ///< m: the middle of the axis or edge, the centre of the circle, of the face's area
  Vec3 direction = Vec3::UnitZ();  ///< unit: the axis, the normal of the circle, the outward normal, the edge
  double radius = 0.0;             ///< m; 0 for planes and edges
  double size = 0.0;               ///< length of the axis or edge, m; area of a plane, m^2; 0 for a circle
};

/// The faces of one colour.
struct ColoredMesh {
  std::array<double, 4> color{};  ///< red, green, blue, opacity, each 0…1
  Mesh mesh;
};

/// One distinct shape, in its own frame.
struct PartShape {
  Mesh mesh;  ///< equal vertices merged; not empty
  /// Of the exact solids in the file, at density 1: `mass` is the volume in m^3. Empty for meshes and for
  /// surfaces without volume.
  std::optional<MassProperties> exact;
  /// The faces by colour, of materials and textures; empty if all have one. As in the file: not repaired.
  std::vector<ColoredMesh> colored;
  bool is_closed = false;         ///< the mesh encloses a volume: find_mesh_defect() returns ""
  std::vector<Feature> features;  ///< largest first within each kind; only formats with exact shapes have any
};

struct Part {
  std::string name;   ///< unique: the labels from the root, "arm/base:1/SOLID"; "#2" is added if they repeat
  std::string label;  ///< as in the file; '/' and control characters replaced
  int parent = -1;    ///< before this one; -1 for a root
  Pose pose;          ///< X_PB in the parent, or in the world of the file
  int shape = -1;     ///< -1 for a group
  std::optional<std::array<double, 4>> color;  ///< red, green, blue, opacity, each 0…1, as in a scenario
  std::string material;                        ///< name in the file; may be empty
  std::optional<double> density;               ///< kg/m^3, if given in the file
};

/// Report of reading a file: one sentence per line.
struct ImportNotes {
  std::vector<std::string> read;        ///< what is in the result
  std::vector<std::string> assumed;     ///< what the file does not specify
  std::vector<std::string> lost;        ///< what is in the file but not in the result
  std::vector<std::string> suspicious;  ///< what looks wrong
};

struct Assembly {
  std::vector<Part> parts;  ///< parents before children
  std::vector<PartShape> shapes;
  ImportNotes notes;
};

/// The pose of a part in the world of the file.
Pose calc_pose(const Assembly& assembly, int part);

/// Parts in the world of the file as one mesh. There are no mirrored poses, so faces keep their orientation.
Mesh as_one_mesh(const Assembly& assembly, std::span<const int> parts);
Mesh as_one_mesh(const Assembly& assembly);  ///< all parts

/// All parts as one mesh for each colour, by colour; empty if no part has any. Parts without one are grey.
std::vector<ColoredMesh> split_by_color(const Assembly& assembly);

inline constexpr std::size_t kMaxParts = 100'000;
inline constexpr std::size_t kMaxPartShapes = 20'000;
inline constexpr std::size_t kMaxFeatures = 200'000;  ///< of one shape

/// Serialization, for another process. assembly_from_bytes() throws StateError unless every invariant above
/// holds and every number is finite.
std::vector<std::uint8_t> assembly_to_bytes(const Assembly& assembly);
Assembly assembly_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace lockstep
