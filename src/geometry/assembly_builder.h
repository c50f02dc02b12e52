#pragma once

#include <map>
#include <string>
#include <string_view>

#include "geometry/assembly.h"
#include "geometry/mesh_builder.h"

namespace lockstep {

/// Builds an assembly part by part; ensures unique names, order and size limits. Throws UserError if a limit is
/// exceeded.
class AssemblyBuilder {
 public:
  explicit AssemblyBuilder(MeshSource source) : source_(source) {}

  /// Adds a part below `parent` and returns its index. A part without a label is named `fallback`.
  int add_part(std::string_view label, std::string_view fallback, int parent, const Pose& X_PB);
  Part& part(int index) { return assembly_.parts[static_cast<std::size_t>(index)]; }

  /// Adds a shape, with its mesh repaired if necessary, and returns its index. `label` is its name in notes.
  int add_mesh(Mesh mesh, std::string_view label);
  /// Adds a shape unchanged.
  int add_shape(PartShape shape);

  PartShape& shape(int index) { return assembly_.shapes[static_cast<std::size_t>(index)]; }

  ImportNotes& notes() { return assembly_.notes; }

  /// The assembly with a summary in its notes. Throws if there is no shape.
  Assembly finish();

 private:
  MeshSource source_;
  Assembly assembly_;
  std::map<std::string, int, std::less<>> taken_;  // number of uses of each path
  std::size_t faces_ = 0;
};

/// A label as UTF-8 without '/' and control characters. Bytes that are not UTF-8 are read as Latin-1.
std::string clean_label(std::string_view text);

/// The name of a file without folders and extension.
std::string_view stem(std::string_view file_name);

}  // namespace lockstep
