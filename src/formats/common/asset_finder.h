#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "formats/common/format.h"

namespace lockstep {

/// Finds the files that a robot file references. Their names are untrusted, so only files below certain folders
/// are opened: `options.root`; else that of the nearest package.xml above the file; else the folder of the
/// file, or its parent if the folder is named urdf, robots, mjcf or similar. Links are followed before the
/// check.
///
/// - package://NAME/PATH, model://NAME/PATH and $(find NAME)/PATH are in the folder given for the package, in
///   a folder NAME above the file, in a sibling package NAME, in one of the folders of packages that the
///   environment lists, or else below the allowed folders.
/// - file://PATH and absolute paths are allowed below the same folders.
/// - Other paths are relative to the folder of the file, or to one of its parents.
class AssetFinder {
 public:
  explicit AssetFinder(const ImportSource& source);

  /// The file, or the error. Throws UserError at `place` if the path leaves the allowed folders.
  Result<FileContent> read(const std::string& uri, const Place& place, std::size_t max_bytes) const;

  /// A file below the allowed folder that has the same file name, ignoring case: if there are several, that with
  /// the most folders of the path in common. Only the first kMaxSearched files and folders are searched.
  Result<FileContent> find_by_name(const std::string& uri, std::size_t max_bytes) const;
  static constexpr std::size_t kMaxSearched = 20'000;
  /// "meshes/part.stl": a path below the allowed folder, for messages.
  std::string shown_below(const std::filesystem::path& path) const;

  /// Relative paths are tried in this folder below that of the file first.
  void set_subfolder(const std::string& subfolder) { subfolder_ = subfolder; }

 private:
  struct Candidate {
    std::filesystem::path folder;  ///< the file must stay below it
    std::filesystem::path name;    ///< relative to it
  };
  std::vector<Candidate> candidates_in_package(const std::string& package, const std::string& rest) const;
  std::vector<Candidate> candidates_near_file(const std::filesystem::path& path) const;

  void index_names() const;

  std::vector<std::pair<std::string, std::filesystem::path>> packages_;
  std::vector<std::filesystem::path> package_folders_;
  std::filesystem::path folder_;  // of the file, without links
  std::filesystem::path root_;    // at or above it
  std::string subfolder_;
  // All files below the root by file name in lower case; filled by the first search.
  mutable std::optional<std::multimap<std::string, std::filesystem::path>> by_name_;
};

/// A path for a message, to be put between quotes. Of a long one the end is shown, which has the file name.
std::string shown_path(std::string_view path);

}  // namespace lockstep
