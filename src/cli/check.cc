#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "assemble/assemble.h"
#include "cli/command.h"
#include "cli/drive_check.h"
#include "design/static_checks.h"
#include "scenario/describe.h"
#include "scenario/write.h"
#include "study/study_setup.h"

namespace lockstep {
namespace {

struct CheckCommand {
  std::string scenario;
  std::vector<std::string> edits;
  bool json = false;
  bool expand = false;  ///< print the scenario instead of the summary
};

/// Overlaps and loop errors above this at the start cause a warning, m.
constexpr double kNoticeableError = 1e-4;

void warn_about_start(const Simulation& simulation, const Place& place, Diagnostics& diagnostics) {
  const SolverStatistics start = simulation.world().report({.solver = true}).solver;
  if (start.largest_penetration > kNoticeableError) {
    diagnostics.warn(place, "shapes overlap by {:.3g} m at the start; they will be pushed apart",
                     start.largest_penetration);
  }
  if (start.largest_loop_error > kNoticeableError) {
    diagnostics.warn(place, "a loop is open by {:.3g} at the start; it will be pulled closed",
                     start.largest_loop_error);
  }
}

nlohmann::ordered_json summarize(const Simulation& simulation) {
  const Model& model = simulation.model();
  double mass = 0.0;
  std::size_t freedoms = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.can_move(BodyId{static_cast<int>(i)})) mass += model.bodies[i].mass.mass;
  }
  for (const JointModel& joint : model.joints) freedoms += velocity_count(joint.type);
  nlohmann::ordered_json signals = nlohmann::ordered_json::array();
  for (const SignalInfo& signal : simulation.signals().all()) {
    signals.push_back({{"name", signal.name}, {"unit", signal.unit}});
  }
  return {{"scenario", model.name},
          {"step", to_seconds(model.step)},
          {"duration", to_seconds(model.duration)},
          {"bodies", model.bodies.size() - 1},
          {"joints", model.joints.size()},
          {"degrees_of_freedom", freedoms},
          {"shapes", model.shapes.size()},
          {"loops", model.loops.size()},
          {"springs", model.springs.size()},
          {"moving_mass", mass},
          {"signals", signals}};
}

void print_summary(const Simulation& simulation, const nlohmann::ordered_json& summary) {
  const Model& model = simulation.model();
  fmt::print("{}: step {} s, duration {} s\n", model.name, to_seconds(model.step), to_seconds(model.duration));
  for (const char* key :
       {"bodies", "joints", "degrees_of_freedom", "shapes", "loops", "springs", "moving_mass"}) {
    std::string label = key;
    std::replace(label.begin(), label.end(), '_', ' ');
    fmt::print("  {:<20}{}{}\n", label, summary[key].dump(), label == "moving mass" ? " kg" : "");
  }
  fmt::print("  signals\n");
  for (const SignalInfo& signal : simulation.signals().all()) {
    fmt::print("    {}{}\n", signal.name, signal.unit.empty() ? "" : " [" + signal.unit + "]");
  }
}

nlohmann::ordered_json list_engines(const Registry& registry) {
  nlohmann::ordered_json engines = nlohmann::ordered_json::array();
  for (const Engine* engine : registry.lists().engines.all()) {
    const EngineCapabilities capabilities = engine->capabilities();
    nlohmann::ordered_json integrators = nlohmann::ordered_json::array(), can;
    for (const Integrator integrator : capabilities.integrators)
      integrators.push_back(kIntegrators[static_cast<std::size_t>(integrator)].first);
    for (const auto& [name, is_offered] : list_capabilities(capabilities)) can[std::string(name)] = is_offered;
    engines.push_back({{"name", engine->name()}, {"integrators", integrators}, {"capabilities", can}});
  }
  return engines;
}

void print_engines(const Registry& registry, const std::string& used) {
  fmt::print("  engines\n");
  for (const Engine* engine : registry.lists().engines.all()) {
    const EngineCapabilities capabilities = engine->capabilities();
    std::string can, cannot;
    for (const auto& [name, is_offered] : list_capabilities(capabilities)) {
      std::string& list = is_offered ? can : cannot;
      list += (list.empty() ? "" : ", ") + std::string(name);
    }
    std::replace(can.begin(), can.end(), '_', ' ');
    std::replace(cannot.begin(), cannot.end(), '_', ' ');
    fmt::print("    {}{}: {}; {}{}\n", engine->name(), engine->name() == used ? " (in use)" : "",
               list_integrators(capabilities), can, cannot.empty() ? "" : "; without " + cannot);
  }
}

/// Prints a valid scenario with includes, edits and chains expanded.
int print_expanded(const CheckCommand& command, const Registry& registry) {
  Diagnostics diagnostics;
  const LoadedScenario loaded = load_scenario(command.scenario, registry, command.edits, diagnostics);
  (void)assemble(loaded.scenario, loaded.assets, registry, diagnostics);
  std::fputs(diagnostics.text().c_str(), stderr);
  std::fputs(write_scenario(loaded.scenario, Defaults::kOmit).c_str(), stdout);
  return kExitDone;
}

int check_scenario(const CheckCommand& command, const Registry& registry) {
  if (command.expand) return print_expanded(command, registry);
  Diagnostics diagnostics;
  const Document document = read_edited(command.scenario, command.edits, diagnostics);
  const LoadedScenario loaded = load_scenario(document, registry, diagnostics);
  const auto also_check = [&](const Model& model, const SignalTable& signals, Diagnostics& found) {
    check_studies(document, loaded.scenario, model, signals, found);
  };
  const Simulation simulation = assemble(loaded.scenario, loaded.assets, registry, diagnostics,
                                         {.output_folder = {}, .connections = {}, .also_check = also_check});
  warn_about_start(simulation, loaded.scenario.place, diagnostics);
  check_model(simulation.model(), diagnostics);
  check_drives(loaded.scenario, simulation.model(), diagnostics);
  for (const Study& study : loaded.scenario.studies) {
    try {
      set_up_study(command.scenario, command.edits, study.name, registry);
    } catch (const UserError& error) {
      diagnostics.add_all(error.diagnostics());
    }
  }
  diagnostics.throw_if_errors();
  nlohmann::ordered_json summary = summarize(simulation);
  summary["engine"] = loaded.scenario.engine.name;
  summary["engines"] = list_engines(registry);
  if (command.json) {
    summary["warnings"] = nlohmann::ordered_json::array();
    for (const Diagnostic& diagnostic : diagnostics.list())
      summary["warnings"].push_back(to_string(diagnostic));
    fmt::print("{}\n", summary.dump(2));
  } else {
    std::fputs(diagnostics.text().c_str(), stderr);
    print_summary(simulation, summary);
    print_engines(registry, loaded.scenario.engine.name);
  }
  return kExitDone;
}

}  // namespace

Command add_check_command(CLI::App& app) {
  auto options = std::make_shared<CheckCommand>();
  CLI::App* command = app.add_subcommand(
      "check", "Report all errors of a scenario without running it, and summarise the model");
  command->footer(
      "Examples:\n"
      R"(  lockstep check scenarios/chains/snake.xml)");
  add_scenario_options(command, options->scenario, options->edits);
  CLI::Option* json = command->add_flag("--json", options->json, "Print the result as one JSON object");
  command
      ->add_flag("--expand", options->expand,
                 "Print the scenario with includes, edits and chains expanded instead of the summary")
      ->excludes(json);
  return {command, [options](const Registry& registry) { return check_scenario(*options, registry); },
          &options->edits};
}

}  // namespace lockstep
