#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serve/history.h"
#include "serve/opened_scenario.h"
#include "serve/outbox.h"
#include "serve/real_time_meter.h"
#include "serve/snapshots.h"
#include "simulation/runner.h"

namespace lockstep::serve {

/// Playback of a session's run: play, pause, single steps, speed, and jumps to any instant of its history, of a
/// recording, or to a snapshot.
///
///     kEmpty ── open ──► kPaused ── play, step ──► kRunning ── until its end, pause ──► kPaused
///                                                      (the planned duration is such an end, once)
///                           ▲                         ├── an event stops it, or a recording ends ──► kEnded
///                           │                         └── a step fails ──► kFailed
///                           └── reset, seek, load, open: from any state
///
/// An ended run can be continued; a failed one cannot. While a recording is shown (is_replay()), steps repeat
/// it, and the run cannot be changed.
class Playback {
 public:
  enum class State { kEmpty, kPaused, kRunning, kEnded, kFailed };

  /// `on_jump` is called after a jump to another instant.
  Playback(OpenedScenario& opened, Outbox& outbox, std::function<void()> on_jump);

  /// A simulation was opened, connections still closed: starts its history, paused.
  void begin();
  void open_connections();
  /// As begin(), with the run of a recording; `path` is its name in messages. Throws UserError.
  void begin_replay(RecordingReader& recording, const std::string& path);
  /// Continues a new simulation from a state of the previous one, running if that was running. False if the
  /// state does not fit; then the run stays at the start.
  bool begin_from(std::span<const std::uint8_t> state, bool is_running);

  /// Takes the steps that are due, for about a millisecond. Returns the time of the next step if it is farther
  /// away than `patience`. Call while running.
  std::optional<std::chrono::steady_clock::time_point> advance(Duration patience);

  // Commands of viewers. All throw Rejection if they are not possible.
  void play(std::optional<double> length);  ///< s of simulated time
  void pause();
  void step(std::int64_t count);
  void set_speed(std::optional<double> speed);  ///< nullopt: as fast as possible
  void reset();
  /// The step at a time, s, which must be in the history.
  std::int64_t find_step(double time) const;
  /// Goes to a step of the history. Gives up when `is_overtaken` by a newer seek.
  void seek(std::int64_t step, const std::function<bool()>& is_overtaken);
  void load(const NamedSnapshot& snapshot);
  /// Changes the run between two steps; immediately if it is not running.
  void apply(const Action& action);

  State state() const { return state_; }
  bool is_running() const { return state_ == State::kRunning; }
  bool is_replay() const { return is_replay_; }
  void require_live() const;                               ///< throws Rejection while a recording is shown
  const std::string& outcome() const { return outcome_; }  ///< why it has ended or failed
  const History& history() const { return history_; }
  Snapshots& snapshots() { return snapshots_; }
  const Snapshots& snapshots() const { return snapshots_; }
  std::optional<double> speed() const { return speed_; }
  std::int64_t overruns() const { return runner_ ? runner_->pacing().overruns : 0; }
  std::int64_t paced_steps() const;  ///< steps that could overrun
  double real_time_factor() const { return meter_.factor(); }
  bool is_at_planned_end() const;  ///< paused at the duration of the scenario; play() continues

 private:
  /// Compares the state after each step with the recording, and warns of the first difference.
  class HashCheck final : public StepHook {
   public:
    explicit HashCheck(Outbox& outbox) : outbox_(outbox) {}
    void start_at(std::int64_t step) {
      first_ = step;
      hashes_.clear();
      has_differed_ = false;
    }
    void add(std::span<const std::uint64_t> hashes) {
      hashes_.insert(hashes_.end(), hashes.begin(), hashes.end());
    }
    std::int64_t end() const { return first_ + static_cast<std::int64_t>(hashes_.size()); }
    Status after_step(const Simulation& simulation) override;

   private:
    Outbox& outbox_;
    std::vector<std::uint64_t> hashes_;  // after each step
    std::int64_t first_ = 0;             // step of the first hash
    bool has_differed_ = false;
  };
  /// Saves the state before each step, to restore it when a wait for a controller is cancelled.
  class SavePoint final : public StepHook {
   public:
    void before_step(Simulation& simulation) override {
      state_.clear();
      simulation.save(state_);
    }
    std::span<const std::uint8_t> state() const { return state_.bytes(); }

   private:
    StateWriter state_;
  };

  void make_runner();
  Runner::Slice advance_replay(Duration patience);
  Runner::Slice advance_live(Duration patience);
  void note_steps(Status status);
  void start_playing(std::int64_t until);
  std::int64_t planned_end() const;
  void go_to(std::span<const std::uint8_t> state);
  void settle();
  void restart_clock();

  OpenedScenario& opened_;
  Outbox& outbox_;
  std::function<void()> on_jump_;
  State state_ = State::kEmpty;
  std::string outcome_;
  std::int64_t until_ = 0;   // step to pause at; only while running
  bool is_planned_ = false;  // that is the planned end
  std::optional<double> speed_ = 1.0;
  RealTimeMeter meter_;
  History history_;
  Snapshots snapshots_;
  bool is_replay_ = false;  // the history comes from a recording
  HistoryFeed feed_{history_};
  HashCheck hash_check_;
  SavePoint save_point_;
  std::optional<Runner> runner_;  // of the open simulation
};

}  // namespace lockstep::serve
