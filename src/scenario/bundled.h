#pragma once

#include <filesystem>
#include <optional>

namespace lockstep {

/// The folder of this program.
std::filesystem::path program_folder();

/// The folder of the bundled scenarios: that of the installation, or of the source tree.
std::optional<std::filesystem::path> find_bundled_scenarios();

}  // namespace lockstep
