#include "scenario/bundled.h"

namespace lockstep {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::optional<fs::path> find_bundled_scenarios() {
  std::error_code error;
  const fs::path installed = program_folder().parent_path() / "share/lockstep/scenarios";
  for (const fs::path& folder : {installed, fs::path(LOCKSTEP_SOURCE_DIR) / "scenarios"}) {
    if (fs::is_directory(folder, error)) return folder;
  }
  return std::nullopt;
}

}  // namespace lockstep
