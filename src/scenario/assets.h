#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "scenario/document.h"
#include "scenario/scenario.h"

namespace lockstep {

/// Finds the files a scenario names: first among those embedded by `lockstep pack`, then on disk. Only paths
/// below the root folder (links followed) are opened.
class Assets {
 public:
  Assets(const Scenario& scenario, std::filesystem::path root_folder);

  /// The bytes of the file that an attribute at `place` names by `src`, relative to the file that attribute
  /// stands in. Throws UserError: not found, outside the folder, too large, not a plain file.
  std::vector<std::uint8_t> load(const std::string& src, const Place& place) const;

  static constexpr std::size_t kMaxFileBytes = 256u << 20;

 private:
  std::filesystem::path root_;
  std::map<std::string, std::vector<std::uint8_t>> embedded_;
};

/// The document with every file that a src attribute names embedded as <file path="…">base64</file>, so that
/// it stands alone.
std::string pack(const Document& document);

}  // namespace lockstep
