#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "lockstep/error.h"
#include "scenario/assets.h"
#include "scenario/document.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

namespace lockstep {

struct AssembleOptions {
  /// Where observers write the files that the scenario names; none: these observers are checked and omitted.
  std::optional<std::filesystem::path> output_folder;
  ConnectionOptions connections;
  std::optional<Restrictions> restrictions{};
  std::function<bool()> script_cancelled{};  ///< see BuildServices
  /// Called with the model and the signals that could be made, also when there are errors, to check what else
  /// names them: the studies.
  std::function<void(const Model&, const SignalTable&, Diagnostics&)> also_check{};
};

/// Makes a simulation of a scenario: model, engine, devices, events. Throws UserError with everything that is
/// wrong, here and in `diagnostics` before; warnings are added to `diagnostics`.
///
/// A scenario that was read with errors can be handed over together with them: what is usable of it is checked,
/// so that one run shows all errors of a file.
Simulation assemble(const Scenario& scenario, const Assets& assets, const Registry& registry,
                    Diagnostics& diagnostics, const AssembleOptions& options = {});

struct LoadedScenario {
  Scenario scenario;
  Assets assets;
  std::filesystem::path folder;  ///< files are relative to it
  std::uint64_t hash = 0;        ///< of the scenario with all defaults written out; 0 if it has errors
};
/// The scenario as text that is alone: every default written out, also those of what only its engine has,
/// which the registry knows, and every file embedded.
std::string packed_text(const LoadedScenario& loaded, const Registry& registry);

/// Reads a file and applies edits of the form "XPATH=VALUE". Throws UserError.
LoadedScenario load_scenario(const std::filesystem::path& file, const Registry& registry,
                             const std::vector<std::string>& edits = {});

/// The same for those who go on to assemble() with the same diagnostics, which shows the errors of both in one
/// list: what could be read is returned. It throws only if nothing can be read.
LoadedScenario load_scenario(const std::filesystem::path& file, const Registry& registry,
                             const std::vector<std::string>& edits, Diagnostics& diagnostics);
LoadedScenario load_scenario(const Document& document, const Registry& registry, Diagnostics& diagnostics);
Document read_edited(const std::filesystem::path& file, const std::vector<std::string>& edits,
                     Diagnostics& diagnostics);

}  // namespace lockstep
