#include "cli/run_log.h"

#include <set>

#include "log/log_observer.h"
#include "signals/selection.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

/// Canonical form of a path, whether the file exists or not.
fs::path place_of(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path.lexically_normal() : found;
}

/// The files that the scenario's own observers write.
std::set<fs::path> files_of_observers(const Scenario& scenario, const fs::path& folder) {
  std::set<fs::path> files;
  const auto add = [&](const Devices& devices) {
    for (const Element& observer : devices.observers) {
      if (const Attribute* file = observer.find_attribute("file")) files.insert(place_of(folder / file->value));
    }
  };
  add(scenario.devices);
  for (const Robot& robot : scenario.robots) add(robot.devices);
  return files;
}

std::vector<Slot> choose_signals(const SignalTable& signals, const std::vector<std::string>& patterns) {
  std::string text = patterns.empty() ? "*" : "";
  for (const std::string& pattern : patterns) text += pattern + " ";
  const Selection chosen = select_names(text, signals.names());
  if (!chosen) throw_user_error({"--log-signals", 0, 0}, "{}", chosen.error());
  std::vector<Slot> slots;
  for (const std::size_t i : *chosen) slots.push_back(Slot{i});
  return slots;
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  return place_of(a) == place_of(b);
}

void check_outputs(const RunCommand& command, const Scenario& scenario) {
  std::vector<std::pair<const char*, std::string>> outputs;
  for (const std::string& file : command.log_files) outputs.emplace_back("--log", file);
  if (command.hash_log_file) outputs.emplace_back("--hash-log", *command.hash_log_file);
  if (command.record_file) outputs.emplace_back("--record", *command.record_file);
  if (command.save_file) outputs.emplace_back("--save", *command.save_file);
  std::set<fs::path> taken = files_of_observers(scenario, command.output_folder);
  for (const auto& [option, file] : outputs) {
    const Place place{option, 0, 0};
    if (is_same_file(file, command.scenario)) throw_user_error(place, "'{}' is the scenario itself", file);
    if (!taken.insert(place_of(file)).second) {
      throw_user_error(place, "'{}' is also written by another output; choose another name", file);
    }
  }
}

void add_logs(Simulation& simulation, const RunCommand& command) {
  const bool has_options = !command.log_signals.empty() || command.log_every != 1;
  if (command.log_files.empty() && has_options) {
    throw_user_error({"--log-signals, --log-every", 0, 0}, "need --log FILE");
  }
  const Place place{"--log", 0, 0};
  if (command.log_every < 1) {
    throw_user_error({"--log-every", 0, 0}, "{} is out of range; expected 1 or more steps", command.log_every);
  }
  const std::vector<Slot> signals = choose_signals(simulation.signals(), command.log_signals);
  for (const std::string& file : command.log_files) {
    const auto format = find_log_format(file);
    if (!format) {
      throw_user_error(place, "'{}' has an unknown extension; expected '.csv', '.h5' or '.hdf5'", file);
    }
    auto log = std::make_unique<LogObserver>(
        LogSetup{.file = file, .format = *format, .signals = signals, .every = command.log_every, .around = {}},
        simulation.signals(), simulation.model());
    if (const Result<void> opened = log->open(); !opened) {
      throw_user_error({file, 0, 0}, "cannot be written: {}", opened.error());
    }
    simulation.add_observer({"log", std::move(log), command.log_every, 0});
  }
}

}  // namespace lockstep
