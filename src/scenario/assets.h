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

/// Finds the files that a scenario references: first those embedded by `lockstep pack`, then on disk. Opens
/// only paths below the root folder (links followed).
class Assets {
 public:
  /// Throws UserError if an embedded file is not base64 or appears twice.
  Assets(const Scenario& scenario, std::filesystem::path root_folder);
  /// Adds these errors to `diagnostics` and continues without the files.
  Assets(const Scenario& scenario, std::filesystem::path root_folder, Diagnostics& diagnostics);

  /// The bytes of the file `src`, a path relative to the root folder, as Document returns it. Throws
  /// UserError at `place` about `subject` if the file is missing, outside the folder, too large or not a
  /// regular file.
  std::vector<std::uint8_t> load(const std::string& src, const Place& place, std::string_view subject) const;

  static constexpr std::size_t kMaxFileBytes = 256u << 20;

 private:
  std::filesystem::path root_;
  std::map<std::string, std::vector<std::uint8_t>> embedded_;
};

/// The document with every file that a src attribute names embedded as <file path="…">base64</file>, so that
/// it is self-contained. Files already embedded stay unchanged. Throws UserError with all files that
/// cannot be read, or if the result would be too large to be read again.
std::string pack(const Document& document);

}  // namespace lockstep
