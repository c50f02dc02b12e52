#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/common/asset_finder.h"
#include "formats/common/names.h"
#include "geometry/assembly.h"
#include "lockstep/shapes.h"

namespace lockstep {

/// The meshes that an imported file references: reads each once and keeps it, to be written beside the
/// scenario.
class MeshCollector {
 public:
  MeshCollector(const ImportSource& source, FormatReport& report)
      : finder_(source), folder_(source.asset_folder), report_(report) {}

  struct Item {
    std::string src;  ///< as used in the scenario
    Mesh mesh;        ///< in the units of the file
    /// The parts of the mesh by the colours in its file: the mesh of each, and its colour. Empty if it has none.
    std::vector<std::pair<std::string, Color>> colored = {};
  };
  /// Null, with a line of the report, if it does not exist, cannot be read or is outside the allowed folders.
  /// `user` is the element that uses it: "link 'arm'".
  const Item* find(const std::string& uri, const Place& place, const std::string& user);
  /// Adds a visible mesh to `shapes`, as `shape` says: in the colours of its file, unless it has one.
  static void add_visible(const Item& item, const Shape& shape, std::vector<Shape>& shapes);
  /// Adds a generated mesh.
  const Item* add(const std::string& name, Mesh mesh);
  const Item* find_made(const std::string& name) const;  ///< added by add()

  /// A file that is not a mesh; returns its path.
  std::string keep_file(const std::string& name, std::string bytes);

  AssetFinder& finder() { return finder_; }
  std::vector<ExportedFile> take_files() { return std::move(files_); }

 private:
  Result<FileContent> find_file(const std::string& uri, const Place& place);
  Item* keep(const std::string& key, const std::string& name, Mesh mesh, std::string bytes);
  void keep_colors(const std::string& stem, const Assembly& assembly, Item& item);
  Item* keep_assembly(const std::string& key, const std::string& stem, const Assembly& assembly);

  AssetFinder finder_;
  std::string folder_;
  FormatReport& report_;
  Names names_;
  std::map<std::string, std::unique_ptr<Item>> by_path_;  // null if it cannot be read
  std::vector<ExportedFile> files_;
};

}  // namespace lockstep
