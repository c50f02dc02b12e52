#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "lockstep/error.h"

/// Reading files that others name, and writing files so that under their name there is always a whole one.
///
/// Where a file names another one, as a scenario does, the name comes from outside: only plain files below the
/// folder of the first are opened, with links followed before the check.
namespace lockstep {

struct FileContent {
  std::string bytes;
  std::filesystem::path path;  ///< without links, the same for every way to name the file
};

/// The file `name`, a path relative to `folder`, which messages call that of `owner`; or a reason such as
/// "'x.xml' does not exist".
Result<FileContent> read_file_below(const std::filesystem::path& folder, std::string_view name,
                                    std::size_t max_bytes, std::string_view owner = "the scenario");

/// A file the user named on the command line: it may lie anywhere and may be a pipe.
Result<FileContent> read_any_file(const std::filesystem::path& path, std::size_t max_bytes);

/// A file that is written beside the one it will replace. Until commit() the old one stays as it is, and
/// without commit() nothing is left behind. Links are followed, and permissions stay. What is not a plain file,
/// such as /dev/stdout, is written in place.
class FileReplacement {
 public:
  explicit FileReplacement(const std::filesystem::path& target);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();

  const std::filesystem::path& path() const { return path_; }  ///< where to write
  Result<void> commit();                                       ///< once what was written is closed

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

enum class Durability {
  kProcess,  ///< the file outlives this process, whatever ends it
  kMachine,  ///< it outlives a loss of power as well; takes milliseconds
};

/// Writes a whole file in the place of an old one. The reason of a failure is that of the system: "No space
/// left on device".
Result<void> replace_file(const std::filesystem::path& target, std::string_view bytes,
                          Durability durability = Durability::kProcess);

/// The one spelling of a path below a folder: "./a//b.stl" and "c/../a/b.stl" are both "a/b.stl".
std::string normal_path(std::string_view name);

/// Whether a normal path stays below the folder it is relative to.
bool stays_below(std::string_view normal_name);

}  // namespace lockstep
