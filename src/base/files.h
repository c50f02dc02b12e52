#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "lockstep/error.h"

/// Reads files named by other files, and replaces files atomically.
///
/// A file name inside a file, such as a scenario, is untrusted input: only regular files below the folder of
/// that file are opened, with links followed before the check.
namespace lockstep {

struct FileContent {
  std::string bytes;
  std::filesystem::path path;  ///< canonical: links resolved
};

/// The file `name`, a path relative to `folder`, which messages call the folder of `owner`; or an error such as
/// "'x.xml' does not exist".
Result<FileContent> read_file_below(const std::filesystem::path& folder, std::string_view name,
                                    std::size_t max_bytes, std::string_view owner = "the scenario");

/// A file given on the command line: it may be anywhere and may be a pipe.
Result<FileContent> read_any_file(const std::filesystem::path& path, std::size_t max_bytes);

/// A temporary file that replaces another one at commit(). Until then the old file is unchanged; without
/// commit() the temporary file is removed. Follows links and keeps permissions. Anything but a regular file,
/// such as /dev/stdout, is written in place.
class FileReplacement {
 public:
  explicit FileReplacement(const std::filesystem::path& target);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();

  const std::filesystem::path& path() const { return path_; }  ///< where to write
  Result<void> commit();                                       ///< after closing the written file

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

enum class Durability {
  kProcess,  ///< the file survives a crash of this process
  kMachine,  ///< it also survives a power failure; takes milliseconds
};

/// Writes a file, atomically replacing an old one. The error is that of the system: "No space left on device".
Result<void> replace_file(const std::filesystem::path& target, std::string_view bytes,
                          Durability durability = Durability::kProcess);

/// The normalized path below a folder: "./a//b.stl" and "c/../a/b.stl" are both "a/b.stl".
std::string normal_path(std::string_view name);

/// Whether a normalized path stays below the folder it is relative to.
bool stays_below(std::string_view normal_name);

}  // namespace lockstep
