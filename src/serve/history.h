#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "simulation/recording.h"
#include "simulation/runner.h"

namespace lockstep::serve {

/// History of a run in bounded memory: keyframes (states at regular intervals) and the external inputs in
/// between. To seek to an instant, load the keyframe before it and step forward with the same inputs.
///
/// When memory is full, every second keyframe is dropped; when there are too many events, the oldest part of
/// the history.
class History {
 public:
  struct Limits {
    std::size_t keyframes = 200;
    std::size_t bytes = 8u << 20;  ///< of all keyframes
    std::size_t arrivals = 50'000;
  };
  struct Keyframe {
    std::int64_t step = 0;
    std::vector<std::uint8_t> state;
  };

  History() = default;
  explicit History(Limits limits) : limits_(limits) {}

  /// Restarts the history at the current instant.
  void begin(const Simulation& simulation);

  /// Restarts the history with the inputs of a recording: up to `end`, the run repeats it.
  void begin_replay(const Simulation& simulation, std::vector<Arrival> arrivals,
                    std::vector<std::deque<ConnectionInput>> inputs, std::int64_t end);

  /// After new steps: stores the inputs that arrived, and a keyframe if one is due.
  void note(Simulation& simulation);
  /// After events applied between two steps: replaces a keyframe of this instant without them.
  void note_events(Simulation& simulation);
  /// Stores a keyframe if one is due, while already known history is repeated.
  void note_state(const Simulation& simulation);

  /// The run branches at the current instant: drops everything after it.
  void branch(const Simulation& simulation);

  bool is_empty() const { return keyframes_.empty(); }
  std::int64_t first() const { return keyframes_.empty() ? 0 : keyframes_.front().step; }
  std::int64_t end() const { return end_; }
  const Keyframe& start() const { return keyframes_.front(); }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  const std::vector<std::deque<ConnectionInput>>& inputs() const { return inputs_; }

  /// The last keyframe at or before a step.
  const Keyframe& before(std::int64_t step) const;

  /// Feeds the recorded external inputs of the next step to the simulation.
  void feed(Simulation& simulation) const;

 private:
  void add(const Simulation& simulation);
  void thin_out();
  void forget_oldest();

  Limits limits_;
  std::vector<Keyframe> keyframes_;  // by step
  std::size_t bytes_ = 0;
  std::int64_t interval_ = 64;     // steps between keyframes
  std::vector<Arrival> arrivals_;  // by step
  std::vector<std::deque<ConnectionInput>> inputs_;
  std::int64_t end_ = 0;
};

/// Feeds the history to a run before each step.
class HistoryFeed final : public StepHook {
 public:
  /// Borrowed.
  explicit HistoryFeed(const History& history) : history_(history) {}
  void before_step(Simulation& simulation) override { history_.feed(simulation); }

 private:
  const History& history_;
};

}  // namespace lockstep::serve
