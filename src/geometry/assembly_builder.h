#pragma once

#include <map>
#include <string>
#include <string_view>

#include "geometry/assembly.h"
#include "geometry/mesh_builder.h"

namespace lockstep {

/// Puts an assembly together part by part, as the readers come across them; keeps its promises about names,
/// order and size. Throws UserError if there is too much.
class AssemblyBuilder {
 public:
  explicit AssemblyBuilder(MeshSource source) : source_(source) {}

  /// Adds a part below `parent` and returns its index. A part without a label is called `fallback`.
  int add_part(std::string_view label, std::string_view fallback, int parent, const Pose& X_PB);
  Part& part(int index) { return assembly_.parts[static_cast<std::size_t>(index)]; }

  /// Adds a shape, repaired if it is a mesh that needs it, and returns its index. `label` stands in notes about
  /// it.
  int add_mesh(Mesh mesh, std::string_view label);
  /// Adds a shape as it is.
  int add_shape(PartShape shape);

  ImportNotes& notes() { return assembly_.notes; }

  /// The assembly with a summary among its notes. Throws if there is no shape at all.
  Assembly finish();

 private:
  MeshSource source_;
  Assembly assembly_;
  std::map<std::string, int, std::less<>> taken_;  // how often a path was wanted
  std::size_t faces_ = 0;
};

/// A label as UTF-8 without '/' and control characters. Bytes that are not UTF-8 are taken as Latin-1.
std::string clean_label(std::string_view text);

/// The name of a file without folders and ending.
std::string_view stem(std::string_view file_name);

}  // namespace lockstep
