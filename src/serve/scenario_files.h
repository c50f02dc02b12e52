#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The scenario files that viewers may open.
namespace lockstep::serve {

struct ScenarioFile {
  std::string path;   ///< relative to the folder
  std::string title;  ///< name of the scenario
  std::string description;
  std::string thumbnail;  ///< in thumbnails/ next to it, relative to the folder; empty if there is none
};

/// All scenarios below a folder, sorted by path. Skips hidden folders and symbolic links; visits at most
/// kMaxVisited files.
std::vector<ScenarioFile> list_scenarios(const std::filesystem::path& folder);

inline constexpr std::size_t kMaxVisited = 20'000;
inline constexpr std::size_t kMaxListed = 1'000;

/// Commands that start the controllers of scenarios, by name ("machines/delta"): the file controllers.txt of the
/// folder, one scenario per line.
std::map<std::string, std::string> read_controllers(const std::filesystem::path& folder);

/// A scenario file below a folder. Throws Rejection if it does not exist, is outside the folder, or is not an
/// .xml file.
std::filesystem::path find_scenario(const std::filesystem::path& folder, const std::string& name);

}  // namespace lockstep::serve
