#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "scenario/document.h"
#include "scenario/scenario.h"

namespace lockstep {

/// Finds the files a scenario names: first among those embedded by `lockstep pack`, then on disk. Only paths
/// below the root folder (links followed) are opened.
class Assets {
 public:
  /// Throws UserError if an embedded file is not base64 or is there twice.
  Assets(const Scenario& scenario, std::filesystem::path root_folder);
  /// Adds these errors to `diagnostics` and goes on without the files.
  Assets(const Scenario& scenario, std::filesystem::path root_folder, Diagnostics& diagnostics);

  /// The bytes of the file `src`, a path relative to the root folder (a Document has made it so). Throws
  /// UserError at `place` and about `subject`, which name it: not found, outside the folder, too large, no
  /// plain file.
  std::vector<std::uint8_t> load(const std::string& src, const Place& place, std::string_view subject) const;

  static constexpr std::size_t kMaxFileBytes = 256u << 20;

 private:
  std::filesystem::path root_;
  std::map<std::string, std::vector<std::uint8_t>> embedded_;
};

/// The document with every file that a src attribute names embedded as <file path="…">base64</file>, so that
/// it is alone. Files that are embedded already stay as they are. Throws UserError with all files that
/// cannot be read, or if the result would be too large to be read again.
std::string pack(const Document& document);

}  // namespace lockstep
