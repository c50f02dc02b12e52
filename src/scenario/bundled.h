#pragma once

#include <filesystem>
#include <optional>

namespace lockstep {

/// The folder with the scenarios that come along: of the installation, or of the source tree.
std::optional<std::filesystem::path> find_bundled_scenarios();

}  // namespace lockstep
