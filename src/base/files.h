#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

/// Opening files that another file names, such as a scenario. The names come from outside: only plain files
/// below the folder of that file are opened, with links followed before the check.
namespace lockstep {

struct FileOrError {
  std::string bytes;
  std::filesystem::path path;  ///< without links, the same for every way to name the file
  std::string error;           ///< "'x.xml' does not exist"; empty if all is well
};

/// The file `name`, a path relative to `folder`, which messages call that of `owner`.
FileOrError read_file_below(const std::filesystem::path& folder, std::string_view name, std::size_t max_bytes,
                            std::string_view owner = "the scenario");

/// A file the user named on the command line: it may lie anywhere and may be a pipe.
FileOrError read_any_file(const std::filesystem::path& path, std::size_t max_bytes);

/// The one spelling of a path below a folder: "./a//b.stl" and "c/../a/b.stl" are both "a/b.stl".
std::string normal_path(std::string_view name);

/// Whether a normal path stays below the folder it is relative to.
bool stays_below(std::string_view normal_name);

}  // namespace lockstep
