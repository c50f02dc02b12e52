#include "simulation/replay.h"

#include <bit>
#include <cstring>

#include "base/hash.h"

namespace lockstep {
namespace {

class Replayer {
 public:
  Replayer(Simulation& simulation, RecordingReader& recording)
      : simulation_(simulation), recording_(recording) {
    const RecordingHead& head = recording.head();
    if (head.fingerprint != simulation.fingerprint()) {
      throw_user_error({"replay", 0, 0},
                       "the recording does not fit its own scenario: it was made by version {}", head.version);
    }
    try {
      simulation.restore(head.start);
    } catch (const StateError& error) {
      throw_user_error({"replay", 0, 0}, "the state at the start does not fit: {}", error.what());
    }
  }

  void replay(const RecordedRows& rows) {
    const std::size_t width = recording_.head().signals.size();
    if (rows.first != simulation_.now().step) {
      report_.damage = fmt::format("byte {}: rows of step {} stand where those of step {} are due", rows.offset,
                                   rows.first, simulation_.now().step);
      return;
    }
    for (std::size_t i = 0; i < rows.hashes.size(); ++i) {
      take_step();
      if (!report_.status.ok() && report_.status.outcome != Outcome::kStopped) {
        report_.difference = {simulation_.now().step, "", 0.0, 0.0};
        break;
      }
      compare(std::span(rows.values).subspan(i * width, width), rows.hashes[i]);
      if (report_.difference) break;
    }
    if (rows.damaged) {
      report_.damage =
          fmt::format("byte {}: the checksum of the rows of steps {} to {} does not match", rows.offset,
                      rows.first, rows.first + static_cast<std::int64_t>(rows.hashes.size()) - 1);
    }
  }

  /// The step in which the recorded run failed, if it did: it must fail again.
  void replay_end() {
    const auto& end = recording_.end();
    report_.complete = end.has_value();
    if (!end || !report_.same()) return;
    if (end->step != simulation_.now().step) {
      report_.damage =
          fmt::format("the recording ends at step {}, its rows at step {}", end->step, simulation_.now().step);
    } else if (is_of_the_step(end->outcome)) {
      take_step();
      if (report_.status.outcome != end->outcome) report_.difference = {simulation_.now().step, "", 0.0, 0.0};
    }
  }

  ReplayReport& report() { return report_; }
  void finish() { report_.hash = simulation_.hash(); }

 private:
  static bool is_of_the_step(Outcome outcome) {
    return outcome == Outcome::kDiverged || outcome == Outcome::kConstraintOverflow ||
           outcome == Outcome::kInvalidInput || outcome == Outcome::kEngineFailure;
  }

  /// What the simulation took in at the end of this step is posted before it. None of it is due earlier,
  /// because events that come late are recorded as due when they came.
  void take_step() {
    const std::int64_t step = simulation_.now().step;
    const auto& arrivals = recording_.arrivals();
    while (next_arrival_ < arrivals.size() && arrivals[next_arrival_].step <= step + 1) {
      const std::string fault = simulation_.post(arrivals[next_arrival_].event);
      if (!fault.empty()) throw_user_error({"replay", 0, 0}, "an event does not fit the scenario: {}", fault);
      ++next_arrival_;
    }
    report_.status = simulation_.run(1);
    ++report_.steps;
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
  std::size_t next_arrival_ = 0;
  ReplayReport report_;
};

}  // namespace

ReplayReport replay(Simulation& simulation, RecordingReader& recording) {
  Replayer replayer(simulation, recording);
  while (replayer.report().same()) {
    const std::optional<RecordedRows> rows = recording.next_rows();
    if (!rows) break;
    replayer.replay(*rows);
  }
  replayer.replay_end();
  replayer.finish();
  return replayer.report();
}

}  // namespace lockstep
