#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace lockstep {

/// Third-party test files, which are not part of this project: ../shared/material beside it, or the folder in
/// LOCKSTEP_MATERIAL. Tests are skipped if there are none.
inline std::optional<std::filesystem::path> find_material() {
  const char* given = std::getenv("LOCKSTEP_MATERIAL");
  const std::filesystem::path folder = given != nullptr ? given : LOCKSTEP_SOURCE_DIR "/../shared/material";
  return std::filesystem::is_directory(folder) ? std::optional(folder) : std::nullopt;
}

}  // namespace lockstep
