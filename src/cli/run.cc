#include "cli/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "assemble/assemble.h"
#include "assemble/scores.h"
#include "base/hash.h"
#include "base/interrupt_guard.h"
#include "base/progress_line.h"
#include "cli/command.h"
#include "cli/connection_report.h"
#include "cli/run_log.h"
#include "cli/time_option.h"
#include "signals/selection.h"
#include "simulation/real_time_priority.h"
#include "simulation/recording.h"
#include "simulation/runner.h"
#include "simulation/snapshot.h"

namespace lockstep {
namespace {

std::int64_t steps_of(const RunCommand& command, const Simulation& simulation) {
  if (command.length) return parse_steps("--for", *command.length, simulation);
  return simulation.model().duration / simulation.step_size();
}

std::optional<PacingOptions> pacing_of(const RunCommand& command) {
  if (!command.real_time && !command.speed) {
    for (const auto& [given, option] :
         {std::pair(command.is_plain, "--no-rt"), std::pair(command.grace.has_value(), "--grace"),
          std::pair(command.max_overruns.has_value(), "--max-overruns")}) {
      if (given) throw_user_error({option, 0, 0}, "needs --realtime or --speed");
    }
    return std::nullopt;
  }
  PacingOptions pacing;
  pacing.speed = command.speed.value_or(1.0);
  if (!(pacing.speed > 0.0 && pacing.speed < 1e6)) {
    throw_user_error({"--speed", 0, 0}, "{} is out of range; expected a factor above 0", pacing.speed);
  }
  if (command.grace) pacing.grace = Duration(std::llround(1e9 * parse_time("--grace", *command.grace)));
  if (command.max_overruns.value_or(0) < 0) {
    throw_user_error({"--max-overruns", 0, 0}, "{} is out of range; expected 0 or more", *command.max_overruns);
  }
  pacing.max_overruns = command.max_overruns;
  return pacing;
}

std::string progress_text(const RunReport& report, std::int64_t all_steps) {
  const double rate = static_cast<double>(report.steps) / report.wall_seconds;
  const double left = rate > 0.0 ? static_cast<double>(all_steps - report.steps) / rate : 0.0;
  return fmt::format("{:5.1f} %  {:8.3f} s simulated  {:7.2f} x real time  {:10.0f} steps/s  {:6.1f} s left",
                     100.0 * static_cast<double>(report.steps) / static_cast<double>(all_steps),
                     to_seconds(report.simulated), report.real_time_factor(), rate, left);
}

nlohmann::ordered_json to_json(const PacingStatistics& pacing, const char* priority) {
  nlohmann::ordered_json histogram = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < pacing.histogram.size(); ++i) {
    const bool last = i == PacingStatistics::kLatenessBounds.size();
    histogram.push_back(
        {{"up_to", last ? nlohmann::ordered_json(nullptr)
                        : nlohmann::ordered_json(to_seconds(PacingStatistics::kLatenessBounds[i]))},
         {"steps", pacing.histogram[i]}});
  }
  nlohmann::ordered_json headroom = nullptr;
  if (pacing.least_headroom) {
    headroom = {{"least", to_seconds(*pacing.least_headroom)},
                {"mean", to_seconds(pacing.headroom_sum) / static_cast<double>(pacing.headroom_count)}};
  }
  return {{"priority", priority},
          {"headroom", headroom},
          {"overruns", pacing.overruns},
          {"missed_cycles", pacing.missed_cycles},
          {"worst_lateness", to_seconds(pacing.worst_lateness)},
          {"worst_lateness_by_controllers", to_seconds(pacing.worst_lateness_by_controllers)},
          {"lateness_histogram", histogram}};
}

struct RunSummary {
  RunReport report;
  std::vector<std::pair<std::string, double>> scores;  ///< name and points of each <score>
  bool is_paced = false;
  const char* priority = "not requested";  ///< real-time priority: also "granted" and "not permitted"
};

nlohmann::ordered_json to_json(const EnergyBalance& balance) {
  nlohmann::ordered_json work = nlohmann::ordered_json::object();
  for (const auto& [name, joules] : balance.work) work[name] = joules;
  return {{"kinetic", balance.energy.kinetic}, {"potential", balance.energy.potential},
          {"change", balance.change()},        {"work", work},
          {"damping", balance.damping},        {"friction", balance.friction},
          {"contacts", balance.contacts},      {"unexplained", balance.unexplained}};
}

void print_json(const Simulation& simulation, const RunSummary& summary, const StartedControllers& controllers,
                const RunCommand& command) {
  const RunReport& report = summary.report;
  nlohmann::ordered_json json = {
      {"scenario", simulation.model().name},
      {"status", name(report.status.outcome)},
      {"steps", report.steps},
      {"time", simulation.now().seconds},
      {"wall_time", report.wall_seconds},
      {"rtf", report.real_time_factor()},
      {"events", simulation.event_log().size()},
  };
  if (!report.status.ok()) {
    json["failed_step"] = report.status.step;
    json["subject"] = report.status.subject;
    json["cause"] = report.status.cause;
  }
  if (summary.is_paced) json["pacing"] = to_json(report.pacing, summary.priority);
  add_connections(json, simulation, controllers);
  if (!summary.scores.empty()) {
    nlohmann::ordered_json scores = nlohmann::ordered_json::object();
    for (const auto& [score, points] : summary.scores) scores[score] = points;
    json["scores"] = scores;
  }
  json["energy"] = to_json(simulation.energy_balance());
  json["hash"] = to_hex(simulation.hash());
  if (command.add_results) command.add_results(&json);
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_text(const Simulation& simulation, const RunSummary& summary) {
  const RunReport& report = summary.report;
  fmt::print("{}: {} steps, {:.6g} s simulated in {:.3g} s, {:.3g} x real time\n", simulation.model().name,
             report.steps, to_seconds(report.simulated), report.wall_seconds, report.real_time_factor());
  if (summary.is_paced) {
    fmt::print("overruns: {} of {} steps, {} missed cycles, at most {:.3g} ms late\n", report.pacing.overruns,
               report.steps, report.pacing.missed_cycles, 1e3 * to_seconds(report.pacing.worst_lateness));
  }
  print_connections(simulation);
  const EnergyBalance balance = simulation.energy_balance();
  fmt::print(
      "energy: {:.6g} J, {:+.3g} J since the start: work {:+.3g}, damping {:+.3g}, friction {:+.3g}, "
      "contacts {:+.3g}, unexplained {:+.3g}\n",
      balance.energy.total(), balance.change(), balance.total_work(), balance.damping, balance.friction,
      balance.contacts, balance.unexplained);
  for (const auto& [score, points] : summary.scores) fmt::print("{}: {} points\n", score, points);
  fmt::print("status: {}\n", to_string(report.status));
  fmt::print("hash: {}\n", to_hex(simulation.hash()));
}

/// Writes "step hash" after every step.
class HashLog final : public StepHook {
 public:
  explicit HashLog(const std::string& file) : file_(std::fopen(file.c_str(), "wb"), &std::fclose) {
    if (!file_) throw_user_error({file, 0, 0}, "cannot be written: {}", std::strerror(errno));
  }
  Status after_step(const Simulation& simulation) override {
    fmt::print(file_.get(), "{} {}\n", simulation.now().step, to_hex(simulation.hash()));
    return {};
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Ends the run when all signals of a pattern that were 1 are 0 again.
class UntilOff final : public StepHook {
 public:
  UntilOff(const std::string& pattern, const SignalTable& signals) {
    if (const Selection selected = select_names(pattern, signals.names())) {
      for (const std::size_t i : *selected) slots_.push_back(Slot{i});
    }
    was_on_.resize(slots_.size());
  }

  Status after_step(const Simulation& simulation) override {
    bool was_any = false, is_any = false;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const bool is_on = simulation.row()[slots_[i]] >= 0.5;
      was_on_[i] = was_on_[i] || is_on;
      was_any = was_any || was_on_[i];
      is_any = is_any || is_on;
    }
    if (!was_any || is_any) return {};
    return {Outcome::kStopped, simulation.now().step, "", "all programs have ended"};
  }

 private:
  std::vector<Slot> slots_;
  std::vector<bool> was_on_;
};

}  // namespace

int run_scenario(const RunCommand& command, const Registry& registry) {
  Diagnostics diagnostics;
  const LoadedScenario loaded = load_scenario(command.scenario, registry, command.edits, diagnostics);
  check_outputs(command, loaded.scenario);
  StartedControllers controllers(command.controllers);
  const ConnectionOptions connection_options{
      .live = true, .cancelled = [&] { return interrupted || controllers.are_lost(); }};
  Simulation simulation = assemble(loaded.scenario, loaded.assets, registry, diagnostics,
                                   {.output_folder = command.output_folder, .connections = connection_options});
  std::fputs(diagnostics.text().c_str(), stderr);
  if (command.load_file) {
    const std::uint64_t saved_from =
        restore_snapshot(simulation, read_snapshot_file(*command.load_file), *command.load_file);
    if (saved_from != loaded.hash && !command.json) {
      fmt::print(stderr, "{}: note: saved from a scenario with other values; the run branches from it\n",
                 *command.load_file);
    }
  }
  const std::int64_t steps = steps_of(command, simulation);
  RunOptions options{.pacing = pacing_of(command)};
  if (options.pacing) add_timing_signals(simulation);
  add_logs(simulation, command);
  std::optional<HashLog> hash_log;
  if (command.hash_log_file) hash_log.emplace(*command.hash_log_file);
  std::optional<Recorder> recorder;
  if (command.record_file) {
    recorder.emplace(*command.record_file, simulation, packed_text(loaded, registry), LOCKSTEP_VERSION);
  }
  RunSummary summary{.is_paced = options.pacing.has_value()};
  Status& status = summary.report.status;
  const InterruptGuard guard;
  LiveConnections connections(simulation, controllers);
  {
    std::optional<RealTimePriority> priority;
    if (command.real_time && !command.is_plain) {
      priority.emplace();
      summary.priority = priority->is_first() ? "granted" : "not permitted";
    }
    ProgressLine progress(command.progress ? ProgressLine::Elsewhere::kLines
                                           : ProgressLine::Elsewhere::kNothing);
    Runner* running = nullptr;
    options.on_progress = [&](const RunReport& so_far) {
      if (progress.is_due()) progress.show(progress_text(so_far, steps));
      controllers.note_ended();
      if (interrupted) running->quit();
    };
    Runner runner(simulation, options);
    running = &runner;
    std::optional<UntilOff> until_off;
    if (!command.until_off.empty()) runner.add_hook(until_off.emplace(command.until_off, simulation.signals()));
    if (hash_log) runner.add_hook(*hash_log);
    if (recorder) runner.add_hook(*recorder);
    summary.report = runner.advance(steps);
  }
  connections.close();
  if (recorder) {
    if (Status recorded = recorder->finish(status.outcome); status.ok()) status = recorded;
  }
  // After the recording is finished: a replay repeats the step, which itself did not fail.
  status = controllers.explain(std::move(status));
  if (Status finished = simulation.finish(); status.ok()) status = finished;
  if (command.save_file) write_snapshot_file(*command.save_file, make_snapshot(simulation, loaded.hash));
  summary.scores = read_scores(loaded.scenario, simulation);
  if (command.json) {
    print_json(simulation, summary, controllers, command);
  } else {
    print_text(simulation, summary);
    if (command.add_results) command.add_results(nullptr);
  }
  const bool as_planned = status.ok() || status.outcome == Outcome::kStopped;
  return as_planned ? kExitDone : kExitOutcome;
}

Command add_run_command(CLI::App& app) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand("run", "Run a scenario");
  command->footer(
      "Examples:\n"
      R"(  lockstep run scenarios/basics/pendulum.xml)"
      "\n"
      R"(  lockstep run scenarios/arms/irmss-arm.xml --for 2s --set "//joint[@name='joint3']/@damping=0.2" --log arm.csv)"
      "\n"
      R"(  lockstep run scenarios/arms/wired-arm.xml --for 1s --controller "python3 examples/controllers/hold_angle.py")");
  add_scenario_options(command, options->scenario, options->edits);
  command->add_option("--for", options->length, "Simulated time to run, such as 10s")->type_name("TIME");
  command->add_flag("--realtime", options->real_time, "Run in real time, paced by the wall clock");
  command->add_flag("--no-rt", options->is_plain,
                    "With --realtime: no real-time priority and no locked memory");
  command->add_option("--speed", options->speed, "Simulated seconds per second; 1 is real time")
      ->type_name("FACTOR");
  command->add_option("--grace", options->grace, "Do not count overruns during this time from the start")
      ->type_name("TIME");
  command->add_option("--max-overruns", options->max_overruns, "Stop the run after more overruns than this")
      ->type_name("COUNT");
  add_controller_option(command, options->controllers);
  command->add_option("--record", options->record_file, "Record the run for `lockstep replay`")
      ->type_name("FILE");
  command->add_option("--log", options->log_files, "Write the signals of every step to a file; may be repeated")
      ->type_name("FILE.csv|FILE.h5")
      ->allow_extra_args(false);
  command
      ->add_option("--log-signals", options->log_signals,
                   "Write only these signals to the logs: names, '*' for any text, such as 'arm/*/angle'")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command->add_option("--log-every", options->log_every, "Write only every N-th step to the logs")
      ->type_name("N");
  command
      ->add_option("--out", options->output_folder, "Folder for the files that the scenario's observers write")
      ->type_name("FOLDER");
  command->add_option("--save", options->save_file, "Save the final state to a snapshot")->type_name("FILE");
  command->add_option("--load", options->load_file, "Start from a snapshot")->type_name("FILE");
  command->add_option("--hash-log", options->hash_log_file, "Write the hash of the state after every step")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print the result as one JSON object");
  command->add_flag("--progress", options->progress, "Show progress even without a terminal");
  return {command, [options](const Registry& registry) { return run_scenario(*options, registry); },
          &options->edits};
}

}  // namespace lockstep
