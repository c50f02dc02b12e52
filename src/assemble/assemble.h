#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "base/error.h"
#include "scenario/assets.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

namespace lockstep {

struct AssembleOptions {
  /// Where observers write the files that the scenario names; none: these observers are checked and left out.
  std::optional<std::filesystem::path> output_folder;
  LinkOptions links;
};

/// Makes a simulation of a scenario: model, engine, devices, events. Throws UserError with everything that is
/// wrong; warnings are added to `diagnostics`.
Simulation assemble(const Scenario& scenario, const Assets& assets, const Registry& registry,
                    Diagnostics& diagnostics, const AssembleOptions& options = {});

/// Reads a file, applies edits of the form "XPATH=VALUE", and assembles it.
struct LoadedScenario {
  Scenario scenario;
  Assets assets;
  std::filesystem::path folder;  ///< files are relative to it
  std::uint64_t hash = 0;        ///< of the scenario with all defaults written out
};
/// The scenario as text that stands alone: every default written out, every file embedded.
std::string packed_text(const LoadedScenario& loaded);

LoadedScenario load_scenario(const std::filesystem::path& file, const std::vector<std::string>& edits = {});

}  // namespace lockstep
