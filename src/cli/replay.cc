#include "simulation/replay.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "assemble/assemble.h"
#include "base/hash.h"
#include "base/interrupt_guard.h"
#include "cli/command.h"
#include "cli/connection_report.h"
#include "cli/recorded_scenario.h"

namespace lockstep {
namespace {

struct ReplayCommand {
  std::string recording;
  bool as_plant = false;                 ///< with live controllers, whose commands are compared
  std::vector<std::string> controllers;  ///< commands to start for the connections
  std::vector<std::string> addresses;    ///< override the recorded addresses, in the order of the connections
  std::optional<double> tolerance;       ///< for differences of commands
  bool json = false;
};

/// Replaces the addresses of the connections of a scenario, in their order.
void set_addresses(Scenario& scenario, const std::vector<std::string>& addresses) {
  std::vector<Element*> connections;
  for (Robot& robot : scenario.robots) {
    for (Element& connection : robot.devices.connections) connections.push_back(&connection);
  }
  for (Element& connection : scenario.devices.connections) connections.push_back(&connection);
  if (addresses.size() > connections.size()) {
    throw_user_error({"--address", 0, 0}, "{} addresses given, but the scenario has {} connections",
                     addresses.size(), connections.size());
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (Attribute& attribute : connections[i]->attributes) {
      if (attribute.name != "address") continue;
      attribute.value = addresses[i];
      attribute.place = {"--address", 0, 0};
    }
  }
}

std::string describe(const CommandDifference& difference, const Simulation& simulation) {
  const std::string where = fmt::format(
      "connection '{}', exchange {} (step {}, {:.9g} s)", simulation.connections()[difference.connection].name,
      difference.exchange, difference.step, to_seconds(simulation.step_size() * difference.step));
  if (difference.is_missing) return where + ": no command received";
  return fmt::format("{}: signal '{}' was {}, now {}", where, difference.signal, difference.recorded,
                     difference.received);
}

/// Runs the recorded plant against live controllers.
int replay_to_controllers(const ReplayCommand& command, Simulation& simulation, RecordingReader& recording,
                          StartedControllers& controllers) {
  if (simulation.connections().empty()) {
    throw_user_error({command.recording, 0, 0}, "the recorded scenario has no connection for a controller");
  }
  const InterruptGuard guard;
  LiveConnections connections(simulation, controllers);
  const PlantReport report = replay_as_plant(simulation, recording, command.tolerance.value_or(0.0));
  connections.close();
  if (report.plant.status.outcome == Outcome::kInterrupted) {
    const Status status = controllers.explain(report.plant.status);
    const bool is_lost = status.outcome == Outcome::kControllerLost;
    fmt::print(stderr, "{}\n", is_lost ? to_string(status) : "interrupted");
    return kExitOutcome;
  }
  if (command.json) {
    nlohmann::ordered_json json = {{"scenario", simulation.model().name},
                                   {"same", report.same()},
                                   {"exchanges", report.exchanges},
                                   {"steps", report.plant.steps}};
    if (report.difference) {
      const CommandDifference& difference = *report.difference;
      json["difference"] = {{"connection", simulation.connections()[difference.connection].name},
                            {"exchange", difference.exchange},
                            {"step", difference.step},
                            {"time", to_seconds(simulation.step_size() * difference.step)},
                            {"missing", difference.is_missing},
                            {"signal", difference.signal},
                            {"recorded", difference.recorded},
                            {"received", difference.received}};
    }
    if (!report.plant.same())
      json["plant"] = "differs from the recording; run `lockstep replay` without --as-plant";
    add_connections(json, simulation, controllers);
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (report.difference) {
    fmt::print("different: {}\n", describe(*report.difference, simulation));
  } else if (!report.plant.same()) {
    fmt::print("the plant itself differs from the recording; run `lockstep replay` without --as-plant\n");
  } else {
    fmt::print("{}: {} commands compared, all identical\n", simulation.model().name, report.exchanges);
  }
  return report.same() ? kExitDone : kExitOutcome;
}

std::string describe(const Difference& difference, double time) {
  if (difference.signal.empty()) {
    return fmt::format("step {} ({:.9g} s): the state differs, but no signal does yet", difference.step, time);
  }
  return fmt::format("step {} ({:.9g} s): signal '{}' was {}, now {}", difference.step, time, difference.signal,
                     difference.recorded, difference.replayed);
}

int replay_recording(const ReplayCommand& command, const Registry& registry) {
  RecordingReader recording(command.recording);
  if (recording.head().version != LOCKSTEP_VERSION) {
    fmt::print(stderr, "{}: note: recorded by version {}; this is version {}\n", command.recording,
               recording.head().version, LOCKSTEP_VERSION);
  }
  Scenario scenario = read_recorded_scenario(recording, command.recording);
  Diagnostics diagnostics;
  if (!command.as_plant && (!command.controllers.empty() || !command.addresses.empty() || command.tolerance)) {
    throw_user_error({"--controller, --address, --tolerance", 0, 0}, "need --as-plant");
  }
  if (command.tolerance && !(*command.tolerance >= 0.0)) {
    throw_user_error({"--tolerance", 0, 0}, "{} is out of range; expected 0 or more", *command.tolerance);
  }
  set_addresses(scenario, command.addresses);
  StartedControllers controllers(command.controllers);
  const AssembleOptions options{.output_folder = {},
                                .connections = {.live = command.as_plant, .cancelled = [&] {
                                                  return interrupted || controllers.are_lost();
                                                }}};
  Simulation simulation = assemble(scenario, Assets(scenario, folder_of_recording(command.recording)), registry,
                                   diagnostics, options);
  if (command.as_plant) return replay_to_controllers(command, simulation, recording, controllers);
  const ReplayReport report = replay(simulation, recording);

  const double step = to_seconds(simulation.step_size());
  if (command.json) {
    nlohmann::ordered_json json = {{"scenario", simulation.model().name},
                                   {"same", report.same()},
                                   {"complete", report.complete},
                                   {"steps", report.steps},
                                   {"hash", to_hex(report.hash)}};
    if (report.difference) {
      json["difference"] = {{"step", report.difference->step},
                            {"time", step * static_cast<double>(report.difference->step)},
                            {"signal", report.difference->signal},
                            {"recorded", report.difference->recorded},
                            {"replayed", report.difference->replayed}};
    }
    if (!report.damage.empty()) json["damage"] = report.damage;
    fmt::print("{}\n", json.dump(2));
  } else {
    if (!report.damage.empty()) fmt::print("damaged: {}\n", report.damage);
    if (report.difference) {
      fmt::print("different: {}\n",
                 describe(*report.difference, step * static_cast<double>(report.difference->step)));
    }
    if (report.same()) {
      fmt::print("{}: {} steps replayed, all identical\n", simulation.model().name, report.steps);
      if (!report.complete) fmt::print("the recording is incomplete: its end is missing\n");
      fmt::print("hash: {}\n", to_hex(report.hash));
    }
  }
  return report.same() ? kExitDone : kExitOutcome;
}

}  // namespace

Command add_replay_command(CLI::App& app) {
  auto options = std::make_shared<ReplayCommand>();
  CLI::App* command = app.add_subcommand("replay", "Repeat a recorded run and find the first difference");
  command->footer(
      "Examples:\n"
      R"(  lockstep run scenarios/arms/two-arms.xml --for 1s --record arms.rec)"
      "\n"
      R"(  lockstep replay arms.rec)");
  command->add_option("recording", options->recording, "File written by run --record")
      ->required()
      ->type_name("FILE");
  command->add_flag(
      "--as-plant", options->as_plant,
      "Run the recorded plant against a live controller, and find the first command that differs");
  add_controller_option(command, options->controllers);
  command
      ->add_option("--address", options->addresses,
                   "Listen on this address instead; repeat for the second connection and so on")
      ->type_name("ADDRESS")
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", options->tolerance, "Allowed difference of a command, in its unit; default 0")
      ->type_name("NUMBER");
  command->add_flag("--json", options->json, "Print the result as one JSON object");
  return {command, [options](const Registry& registry) { return replay_recording(*options, registry); }};
}

}  // namespace lockstep
