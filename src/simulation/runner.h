#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/time.h"
#include "simulation/pacing.h"
#include "simulation/simulation.h"

/// Runs a simulation; used by `run`, viewers, replays, studies, videos and benchmarks.
namespace lockstep {

/// Called between steps with the whole simulation.
///
/// To observe signals and the world of an instant, use an Observer (lockstep/device.h), which is called within the
/// step. A hook is for what an observer cannot see: the state after a step and its hash (recordings, hash logs,
/// replays), the instant after the last step (videos), and feeding inputs before a step (replays).
class StepHook {
 public:
  virtual ~StepHook() = default;
  /// Called at the start of the run. A status that is not ok ends the run, here and in after_step().
  virtual Status begin(const Simulation&) { return {}; }
  /// Feeds the inputs of the next step.
  virtual void before_step(Simulation&) {}
  /// Called after each step.
  virtual Status after_step(const Simulation&) { return {}; }
};

/// A function that is called after every step.
class StepFunction final : public StepHook {
 public:
  explicit StepFunction(std::function<Status(const Simulation&)> function) : function_(std::move(function)) {}
  Status after_step(const Simulation& simulation) override { return function_(simulation); }

 private:
  std::function<Status(const Simulation&)> function_;
};

struct RunReport {
  Status status;
  std::int64_t steps = 0;  ///< taken in this run
  Duration simulated{0};   ///< length of this run
  double wall_seconds = 0.0;
  PacingStatistics pacing;  ///< all zero if the run is not paced

  /// Simulated seconds per second of real time.
  double real_time_factor() const { return wall_seconds > 0.0 ? to_seconds(simulated) / wall_seconds : 0.0; }
};

struct RunOptions {
  std::optional<PacingOptions> pacing{};  ///< nullopt: as fast as possible
  WallClock* clock = nullptr;             ///< default: the real one
  /// Called about every 200 ms.
  std::function<void(const RunReport& so_far)> on_progress{};
};

/// Adds the timing signals of a paced run: "timing/lateness" and so on. They depend on the wall clock and are
/// not part of the state. Call before creating logs and before other threads use the simulation.
void add_timing_signals(Simulation& simulation);

/// Runs a simulation, paced or as fast as possible. It decides only when steps happen, never what they compute,
/// so it is part of neither the state nor a recording.
///
///     advance(): for each step
///       while paused and without single steps: wait           (resume, step, quit)
///       paced: wait until the step is due; write timing signals
///       hooks: before_step  →  Simulation::run(1)  →  hooks: after_step
///
/// One thread advances it; the controls may be called from any thread.
class Runner {
 public:
  explicit Runner(Simulation& simulation, RunOptions options = {});
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Hooks are called in the order in which they were added. Borrowed: the hook must outlive the runner.
  void add_hook(StepHook& hook) { hooks_.push_back(&hook); }

  /// Takes this many steps. Ends early with the status of a step or hook that is not ok, with kStopped after a
  /// stop event, with kInterrupted after quit(), and with kTooSlow after too many overruns. Real time between
  /// two calls does not count.
  RunReport advance(std::int64_t steps);

  /// Result of advance_slice(): some steps, or none because the next one is not due yet.
  struct Slice {
    Status status{};
    std::int64_t steps = 0;
    std::optional<WallClock::Time> due{};  ///< of the next step, if it is not due yet
  };
  /// A slice of a run up to step `end`, for a thread that has other work in between: one paced step, or about a
  /// millisecond of steps as fast as possible. Waits at most for `patience`. Ignores pause() and
  /// quit(): the caller pauses by not calling it.
  Slice advance_slice(std::int64_t end, Duration patience);

  // Controls.
  void pause();
  void resume();
  void step(std::int64_t count = 1);            ///< while paused: takes this many steps and pauses again
  void set_speed(std::optional<double> speed);  ///< simulated seconds per second; nullopt: as fast as possible
  void quit();                                  ///< ends advance() with Outcome::kInterrupted
  bool is_quitting() const { return quit_; }

  /// Restarts the real-time clock and its statistics, after a jump to another instant.
  void restart_clock();

  PacingStatistics pacing() const { return pacer_ ? pacer_->statistics() : PacingStatistics{}; }

 private:
  static constexpr std::size_t kTimingSignals = 4;

  Status begin_hooks();
  bool wait_while_paused(std::int64_t& end);
  void follow_speed();
  std::optional<WallClock::Time> wait_until_due(Duration patience);
  void write_timing();
  Status take_steps(std::int64_t count);
  std::int64_t batch_size(std::int64_t end) const;
  void report_progress();
  void fill_report();

  Simulation& simulation_;
  RunOptions options_;
  std::vector<StepHook*> hooks_;
  std::size_t begun_ = 0;  // hooks that have seen the start
  SteadyClock steady_clock_;
  WallClock* clock_;
  std::optional<Pacer> pacer_;   // once a step was paced
  std::optional<double> speed_;  // speed in use
  double step_cost_ = 1e-5;      // s of wall clock time, smoothed; as fast as possible
  std::array<std::optional<Slot>, kTimingSignals> timing_;  // those that were added

  // Of the current advance().
  RunReport report_;
  std::int64_t first_ = 0;
  WallClock::Time start_{};
  WallClock::Time last_progress_{};

  // Controls.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_paused_ = false;
  std::int64_t steps_allowed_ = 0;
  std::optional<double> wanted_speed_;
  std::atomic<bool> has_new_speed_ = true;
  std::atomic<bool> quit_ = false;
};

}  // namespace lockstep
