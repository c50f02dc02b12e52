#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The scenario files that viewers may open.
namespace lockstep::serve {

struct ScenarioFile {
  std::string path;   ///< relative to the folder
  std::string title;  ///< name of the scenario
  std::string description;
  std::string thumbnail;  ///< thumbnails/ beside it, relative to the folder; "" if there is none
};

/// All scenarios below a folder, by path. Hidden folders and links are not followed; looks at kMaxVisited files
/// at most.
std::vector<ScenarioFile> list_scenarios(const std::filesystem::path& folder);

inline constexpr std::size_t kMaxVisited = 20'000;
inline constexpr std::size_t kMaxListed = 1'000;

/// A scenario file below a folder. Throws Rejection with a sentence if there is none of that name, if it lies
/// elsewhere, or if it is no .xml file.
std::filesystem::path find_scenario(const std::filesystem::path& folder, const std::string& name);

}  // namespace lockstep::serve
