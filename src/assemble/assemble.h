#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "base/error.h"
#include "scenario/assets.h"
#include "scenario/document.h"
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

/// An edit for a message: long ones are cut.
std::string shown_edit(const std::string& edit);

/// Reads a file, applies edits of the form "XPATH=VALUE", and assembles it.
struct LoadedScenario {
  Scenario scenario;
  Assets assets;
  std::filesystem::path folder;  ///< files are relative to it
  std::uint64_t hash = 0;        ///< of the scenario with all defaults written out
};
/// The scenario as text that stands alone: every default written out, also those of what only its engine has,
/// which the registry knows, and every file embedded.
std::string packed_text(const LoadedScenario& loaded, const Registry& registry);

LoadedScenario load_scenario(const std::filesystem::path& file, const Registry& registry,
                             const std::vector<std::string>& edits = {});
/// The same of a document.
LoadedScenario load_scenario(const Document& document, const Registry& registry);

}  // namespace lockstep
