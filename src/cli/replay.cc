#include "simulation/replay.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assemble/assemble.h"
#include "base/hash.h"
#include "cli/commands.h"
#include "scenario/document.h"
#include "scenario/read.h"

namespace lockstep {
namespace {

/// What the run wrote then is not written again.
void drop_observers(Scenario& scenario) {
  scenario.devices.observers.clear();
  for (Robot& robot : scenario.robots) robot.devices.observers.clear();
}

std::string describe(const Difference& difference, double time) {
  if (difference.signal.empty()) {
    return fmt::format("step {} ({:.9g} s): the state differs, though no signal shows it yet", difference.step,
                       time);
  }
  return fmt::format("step {} ({:.9g} s): signal '{}' was {} and is {}", difference.step, time,
                     difference.signal, difference.recorded, difference.replayed);
}

}  // namespace

int replay_recording(const ReplayCommand& command, const Registry& registry) {
  RecordingReader recording(command.recording);
  if (recording.head().version != LOCKSTEP_VERSION) {
    fmt::print(stderr, "{}: note: recorded by version {}; this is version {}\n", command.recording,
               recording.head().version, LOCKSTEP_VERSION);
  }
  std::filesystem::path folder = std::filesystem::path(command.recording).parent_path();
  if (folder.empty()) folder = ".";
  Scenario scenario =
      read_scenario(Document::read_text(recording.head().scenario, command.recording + "(scenario)", folder));
  drop_observers(scenario);
  Diagnostics diagnostics;
  Simulation simulation = assemble(scenario, Assets(scenario, folder), registry, diagnostics);
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
      fmt::print("{}: {} steps replayed, all the same\n", simulation.model().name, report.steps);
      if (!report.complete) fmt::print("the recording was cut short: it has no end\n");
      fmt::print("hash: {}\n", to_hex(report.hash));
    }
  }
  return report.same() ? kExitDone : kExitOutcome;
}

}  // namespace lockstep
