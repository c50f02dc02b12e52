#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "simulation/recording.h"
#include "simulation/runner.h"

namespace lockstep::serve {

/// How a run came to be where it is, in bounded memory: states every so many steps, and what came from outside
/// in between. Any instant of it can be reached again by going to the state before it and stepping on.
///
/// When there is no more room, every second state is given up; when there are too many events, the oldest part
/// of the history.
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

  /// Begins again at the instant of the simulation.
  void begin(const Simulation& simulation);

  /// Begins again with what a recording says happened: up to `end` the run is to be repeated.
  void begin_replay(const Simulation& simulation, std::vector<Arrival> arrivals,
                    std::vector<std::deque<ConnectionInput>> inputs, std::int64_t end);

  /// After steps that led further than anything before: keeps what arrived, and a state now and then.
  void note(Simulation& simulation);
  /// After events that were applied between two steps: a state of this instant without them is of no use.
  void note_events(Simulation& simulation);
  /// A state now and then, while a part that is known already is gone through again.
  void note_state(const Simulation& simulation);

  /// The run goes on otherwise from the instant of the simulation: forgets all after it.
  void branch(const Simulation& simulation);

  bool is_empty() const { return keyframes_.empty(); }
  std::int64_t first() const { return keyframes_.empty() ? 0 : keyframes_.front().step; }
  std::int64_t end() const { return end_; }
  const Keyframe& start() const { return keyframes_.front(); }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }

  /// The last state at or before a step.
  const Keyframe& before(std::int64_t step) const;

  /// Hands over what came from outside in the coming step, as it came then.
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

/// Lets a run repeat its history.
class HistoryFeed final : public StepHook {
 public:
  /// Borrowed.
  explicit HistoryFeed(const History& history) : history_(history) {}
  void before_step(Simulation& simulation) override { history_.feed(simulation); }

 private:
  const History& history_;
};

}  // namespace lockstep::serve
