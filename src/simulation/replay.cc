#include "simulation/replay.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/hash.h"

namespace lockstep {
namespace {

/// Repeats the recorded steps: feeds the inputs before each step, and compares after it.
class Replayer final : public StepHook {
 public:
  /// Restores the start of the recording. `hook` sees the steps without differences; may be null.
  Replayer(Simulation& simulation, RecordingReader& recording, StepHook* hook)
      : simulation_(simulation), recording_(recording), hook_(hook), runner_(simulation) {
    runner_.add_hook(*this);
    const RecordingHead& head = recording.head();
    if (head.fingerprint != simulation.fingerprint()) {
      throw_user_error({"replay", 0, 0}, "the recording does not match its scenario; it was made by version {}",
                       head.version);
    }
    const auto& connections = simulation.connections();
    for (std::size_t i = 0; i < connections.size(); ++i) {
      if (head.connection_widths.size() == connections.size() &&
          head.connection_widths[i] == connections[i].device->writes().size())
        continue;
      throw_user_error({"replay", 0, 0}, "the connections of the recording do not match its scenario");
    }
    try {
      simulation.restore(head.start);
    } catch (const StateError& error) {
      throw_user_error({"replay", 0, 0}, "the initial state does not match the scenario: {}", error.what());
    }
  }

  Status begin(const Simulation& simulation) override {
    return hook_ != nullptr ? end_if_asked(hook_->begin(simulation)) : Status{};
  }

  /// Posts the events that the simulation received at the end of this step. None is due earlier, because late
  /// events are recorded with the step at which they arrived.
  void before_step(Simulation& simulation) override {
    const std::int64_t step = simulation.now().step;
    std::deque<Arrival>& arrivals = recording_.arrivals();
    for (; !arrivals.empty() && arrivals.front().step <= step + 1; arrivals.pop_front()) {
      const Result<void> posted = simulation.post(arrivals.front().event);
      if (!posted)
        throw_user_error({"replay", 0, 0}, "an event does not match the scenario: {}", posted.error());
    }
    feed_connections(step);
  }

  Status after_step(const Simulation& simulation) override {
    const std::size_t width = recording_.head().signals.size();
    const std::size_t i = compared_++;
    if (plant_ != nullptr) compare_answers(simulation.now().step - 1);
    ++report_.steps;
    compare(std::span(rows_->values).subspan(i * width, width), rows_->hashes[i]);
    if (is_going_on() && hook_ != nullptr) return end_if_asked(hook_->after_step(simulation));
    if (is_going_on()) return {};
    return {Outcome::kInterrupted, simulation.now().step, "", "the replay differs"};
  }

  /// Replays until the end of the recording or the first difference.
  ReplayReport run() {
    (void)runner_.advance(0);  // the hook sees the start even without steps
    while (is_going_on()) {
      rows_ = recording_.next_rows();
      if (!rows_) break;
      replay_rows();
    }
    replay_end();
    report_.hash = simulation_.hash();
    return report_;
  }

  /// Also compares the commands of live controllers.
  void compare_commands(PlantReport& into, double tolerance) {
    plant_ = &into;
    tolerance_ = tolerance;
  }

 private:
  bool is_going_on() const {
    return !has_been_ended_ && report_.same() && (plant_ == nullptr || !plant_->difference);
  }

  Status end_if_asked(Status status) {
    if (status.ok()) return status;
    report_.status = status;
    has_been_ended_ = true;
    return status;
  }

  void replay_rows() {
    if (rows_->first != simulation_.now().step) {
      report_.damage = fmt::format("byte {}: found rows of step {}; expected those of step {}", rows_->offset,
                                   rows_->first, simulation_.now().step);
      return;
    }
    compared_ = 0;
    // A run that was stopped by an event may have continued afterwards.
    while (is_going_on() && compared_ < rows_->hashes.size()) advance(rows_->hashes.size() - compared_);
    if (rows_->damaged) {
      report_.damage =
          fmt::format("byte {}: the checksum of the rows of steps {} to {} does not match", rows_->offset,
                      rows_->first, rows_->first + static_cast<std::int64_t>(rows_->hashes.size()) - 1);
    }
  }

  /// Steps that were recorded must not fail.
  void advance(std::size_t steps) {
    Status status = runner_.advance(static_cast<std::int64_t>(steps)).status;
    if (!is_going_on()) return;  // ended by a difference, not by the step
    report_.status = std::move(status);
    if (report_.status.ok() || report_.status.outcome == Outcome::kStopped) return;
    if (plant_ != nullptr) compare_answers(simulation_.now().step);
    report_.difference = {simulation_.now().step, "", 0.0, 0.0};
  }

  /// If the recorded run failed in its last step, that step must fail again.
  void replay_end() {
    const auto& end = recording_.end();
    report_.complete = end.has_value();
    if (!end || !is_going_on()) return;
    if (end->step != simulation_.now().step) {
      report_.damage =
          fmt::format("the recording ends at step {}, its rows at step {}", end->step, simulation_.now().step);
    } else if (is_of_the_step(end->outcome)) {
      before_step(simulation_);
      report_.status = simulation_.run(1);
      if (plant_ != nullptr) compare_answers(end->step);
      if (report_.status.outcome != end->outcome) report_.difference = {simulation_.now().step, "", 0.0, 0.0};
    }
  }

  static bool is_of_the_step(Outcome outcome) {
    return outcome == Outcome::kDiverged || outcome == Outcome::kConstraintOverflow ||
           outcome == Outcome::kEnergyGained || outcome == Outcome::kInvalidInput ||
           outcome == Outcome::kEngineFailure || outcome == Outcome::kControllerLost ||
           outcome == Outcome::kControllerFailed;
  }

  void feed_connections(std::int64_t step) {
    for (std::size_t i = 0; i < simulation_.connections().size(); ++i) {
      std::deque<ConnectionInput>& inputs = recording_.inputs(i);
      if (inputs.empty() || inputs.front().step != step) continue;
      inputs.front().values.resize(simulation_.connections()[i].device->writes().size());
      simulation_.connections()[i].device->feed(inputs.front());
      inputs.pop_front();
    }
  }

  void compare_answers(std::int64_t step) {
    for (std::size_t i = 0; i < simulation_.connections().size() && !plant_->difference; ++i) {
      const Connection& connection = *simulation_.connections()[i].device;
      const ConnectionInput& recorded = connection.last_input();
      const ConnectionInput& received = connection.last_answer();
      if (recorded.step != step || !recorded.is_fresh) continue;
      ++plant_->exchanges;
      CommandDifference difference{.connection = i, .exchange = connection.report().exchanges, .step = step};
      difference.is_missing = !received.is_fresh;
      if (difference.is_missing) plant_->difference = difference;
      for (std::size_t k = 0; k < recorded.values.size() && !plant_->difference; ++k) {
        if (std::abs(received.values[k] - recorded.values[k]) <= tolerance_) continue;
        difference.signal = simulation_.signals().info(connection.writes()[k]).name;
        difference.recorded = recorded.values[k];
        difference.received = received.values[k];
        plant_->difference = difference;
      }
    }
  }

  void compare(std::span<const double> recorded, std::uint64_t recorded_hash) {
    const std::span<const double> replayed = simulation_.row().values();
    const std::int64_t step = simulation_.now().step - 1;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      if (std::bit_cast<std::uint64_t>(recorded[i]) == std::bit_cast<std::uint64_t>(replayed[i])) continue;
      report_.difference = {step, recording_.head().signals[i], recorded[i], replayed[i]};
      return;
    }
    if (simulation_.hash() != recorded_hash) report_.difference = {step, "", 0.0, 0.0};
  }

  Simulation& simulation_;
  RecordingReader& recording_;
  ReplayReport report_;
  PlantReport* plant_ = nullptr;
  double tolerance_ = 0.0;
  StepHook* hook_;
  bool has_been_ended_ = false;  // by the hook
  Runner runner_;
  std::optional<RecordedRows> rows_;  // being replayed
  std::size_t compared_ = 0;          // number of compared rows
};

}  // namespace

ReplayReport replay(Simulation& simulation, RecordingReader& recording, StepHook* hook) {
  return Replayer(simulation, recording, hook).run();
}

PlantReport replay_as_plant(Simulation& simulation, RecordingReader& recording, double tolerance) {
  for (const auto& connection : simulation.connections()) {
    if (connection.device->mode() == ConnectionMode::kLockStep) continue;
    throw_user_error({"replay", 0, 0},
                     "connection '{}' ran in real time; only commands in lock step can be compared",
                     connection.name);
  }
  PlantReport report;
  Replayer replayer(simulation, recording, nullptr);
  replayer.compare_commands(report, tolerance);
  report.plant = replayer.run();
  return report;
}

}  // namespace lockstep
