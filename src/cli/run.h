#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

/// The options of `lockstep run`.
struct RunCommand {
  std::string scenario;
  std::vector<std::string> edits;     ///< "XPATH=VALUE"
  std::optional<std::string> length;  ///< "10 s"; default: the scenario's duration
  bool real_time = false;
  bool is_plain = false;             ///< no real-time priority, no locked memory
  std::optional<double> speed;       ///< simulated seconds per second
  std::optional<std::string> grace;  ///< overruns during this time from the start are not counted
  std::optional<std::int64_t> max_overruns;
  std::vector<std::string> controllers;  ///< commands to start for the connections
  std::optional<std::string> record_file;
  std::vector<std::string> log_files;    ///< .csv, .h5 or .hdf5
  std::vector<std::string> log_signals;  ///< patterns; all signals if empty
  std::int64_t log_every = 1;            ///< steps between rows
  std::string output_folder = ".";       ///< for the files that the scenario's observers write
  std::optional<std::string> save_file;
  std::optional<std::string> load_file;
  std::optional<std::string> hash_log_file;  ///< "step hash" per line
  bool json = false;
  bool progress = false;  ///< even without a terminal

  // For commands that run a scenario with programs of their own.
  std::string until_off;  ///< pattern of signals; the run ends when all that were 1 are 0 again
  /// Adds to the result after the run: to the JSON object, or prints lines if there is none.
  std::function<void(nlohmann::ordered_json*)> add_results;
};

class Registry;

/// Runs a scenario and prints the result; the exit code.
int run_scenario(const RunCommand& command, const Registry& registry);

}  // namespace lockstep
