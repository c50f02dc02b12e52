#include "simulation/replay.h"

#include <bit>
#include <cmath>
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
    const auto& links = simulation.links();
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (head.link_widths.size() == links.size() && head.link_widths[i] == links[i].part->writes().size())
        continue;
      throw_user_error({"replay", 0, 0},
                       "the recording is of links to other signals than its own scenario has");
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
      if (is_going_on()) show_instant();
      if (!is_going_on()) break;
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
    if (!end || !is_going_on()) return;
    if (end->step != simulation_.now().step) {
      report_.damage =
          fmt::format("the recording ends at step {}, its rows at step {}", end->step, simulation_.now().step);
    } else if (is_of_the_step(end->outcome)) {
      take_step();
      if (report_.status.outcome != end->outcome) report_.difference = {simulation_.now().step, "", 0.0, 0.0};
    }
  }

  const ReplayReport& report() const { return report_; }
  void finish() { report_.hash = simulation_.hash(); }

  /// Compares the commands of controllers at the links, too.
  void compare_commands(PlantReport& into, double tolerance) {
    plant_ = &into;
    tolerance_ = tolerance;
  }
  bool is_going_on() const {
    return !has_been_ended_ && report_.same() && (plant_ == nullptr || !plant_->difference);
  }

  void show_instants_to(const std::function<Status(const Simulation&)>& on_instant) {
    on_instant_ = on_instant;
    show_instant();
  }

 private:
  void show_instant() {
    if (!on_instant_) return;
    Status status = on_instant_(simulation_);
    if (status.ok()) return;
    report_.status = std::move(status);
    has_been_ended_ = true;
  }

  static bool is_of_the_step(Outcome outcome) {
    return outcome == Outcome::kDiverged || outcome == Outcome::kConstraintOverflow ||
           outcome == Outcome::kInvalidInput || outcome == Outcome::kEngineFailure ||
           outcome == Outcome::kControllerLost || outcome == Outcome::kControllerFailed;
  }

  /// What the simulation took in at the end of this step is posted before it. None of it is due earlier,
  /// because events that come late are recorded as due when they came.
  void take_step() {
    const std::int64_t step = simulation_.now().step;
    std::deque<Arrival>& arrivals = recording_.arrivals();
    for (; !arrivals.empty() && arrivals.front().step <= step + 1; arrivals.pop_front()) {
      const Result<void> posted = simulation_.post(arrivals.front().event);
      if (!posted) throw_user_error({"replay", 0, 0}, "an event does not fit the scenario: {}", posted.error());
    }
    feed_links(step);
    report_.status = simulation_.run(1);
    ++report_.steps;
    if (plant_ != nullptr) compare_answers(step);
  }

  void feed_links(std::int64_t step) {
    for (std::size_t i = 0; i < simulation_.links().size(); ++i) {
      std::deque<LinkInput>& inputs = recording_.inputs(i);
      if (inputs.empty() || inputs.front().step != step) continue;
      inputs.front().values.resize(simulation_.links()[i].part->writes().size());
      simulation_.links()[i].part->feed(inputs.front());
      inputs.pop_front();
    }
  }

  void compare_answers(std::int64_t step) {
    for (std::size_t i = 0; i < simulation_.links().size() && !plant_->difference; ++i) {
      const ControllerLink& link = *simulation_.links()[i].part;
      const LinkInput& recorded = link.last_input();
      const LinkInput& received = link.last_answer();
      if (recorded.step != step || !recorded.is_fresh) continue;
      ++plant_->exchanges;
      CommandDifference difference{.link = i, .exchange = link.report().exchanges, .step = step};
      difference.is_missing = !received.is_fresh;
      if (difference.is_missing) plant_->difference = difference;
      for (std::size_t k = 0; k < recorded.values.size() && !plant_->difference; ++k) {
        if (std::abs(received.values[k] - recorded.values[k]) <= tolerance_) continue;
        difference.signal = simulation_.signals().info(link.writes()[k]).name;
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
  std::function<Status(const Simulation&)> on_instant_;
  bool has_been_ended_ = false;  // by it
};

void replay_all(Replayer& replayer, RecordingReader& recording) {
  while (replayer.is_going_on()) {
    const std::optional<RecordedRows> rows = recording.next_rows();
    if (!rows) break;
    replayer.replay(*rows);
  }
  replayer.replay_end();
  replayer.finish();
}

}  // namespace

ReplayReport replay(Simulation& simulation, RecordingReader& recording,
                    const std::function<Status(const Simulation&)>& on_instant) {
  Replayer replayer(simulation, recording);
  replayer.show_instants_to(on_instant);
  replay_all(replayer, recording);
  return replayer.report();
}

PlantReport replay_as_plant(Simulation& simulation, RecordingReader& recording, double tolerance) {
  for (const auto& link : simulation.links()) {
    if (link.part->mode() == LinkMode::kLockStep) continue;
    throw_user_error({"replay", 0, 0}, "link '{}' was in real time; only commands in lock step can be compared",
                     link.name);
  }
  PlantReport report;
  Replayer replayer(simulation, recording);
  replayer.compare_commands(report, tolerance);
  replay_all(replayer, recording);
  report.plant = replayer.report();
  return report;
}

}  // namespace lockstep
