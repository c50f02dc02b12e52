#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "base/time.h"
#include "simulation/pacing.h"
#include "simulation/simulation.h"

namespace lockstep {

/// Steers a run from other threads: pause, single steps, speed, quit. It decides only when steps happen, never
/// what they compute, so it is no part of the state and of no recording.
class RunControl {
 public:
  void pause();
  void resume();
  void step(std::int64_t count = 1);            ///< while paused: takes so many steps and pauses again
  void set_speed(std::optional<double> speed);  ///< simulated seconds per second; nothing: as fast as can be
  void quit();                                  ///< ends the run with Outcome::kInterrupted
  bool is_quitting() const { return quit_; }    ///< for whoever waits inside a step

 private:
  friend class Runner;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t version_ = 0;  // counts changes, so that the runner notices them cheaply
  bool paused_ = false;
  std::atomic<bool> quit_ = false;
  std::int64_t steps_allowed_ = 0;
  std::optional<double> speed_;
};

struct RunReport {
  Status status;
  std::int64_t steps = 0;  ///< taken in this run
  Duration simulated{0};   ///< length of this run
  double wall_seconds = 0.0;
  PacingStatistics pacing;  ///< all zero in a run that is not paced

  /// Simulated seconds per second of the clock on the wall.
  double real_time_factor() const { return wall_seconds > 0.0 ? to_seconds(simulated) / wall_seconds : 0.0; }
};

struct RunOptions {
  std::int64_t steps = 0;
  std::optional<PacingOptions> pacing;  ///< nothing: as fast as can be
  WallClock* clock = nullptr;           ///< nothing: the real one
  /// Called about every 200 ms.
  std::function<void(const RunReport& so_far)> on_progress;
  /// For recordings, a hash per step and the like; the run ends with a status that is not ok.
  std::function<Status(const Simulation&)> after_step;
};

/// Adds signals that tell how a paced run keeps to the clock: "timing/lateness" and so on. They are of the wall
/// and no part of the state. Called before logs are made and before other threads know the simulation.
void add_timing_signals(Simulation& simulation);

/// Runs a simulation for a number of steps, paced or flat out, until it is done, fails or is told to quit. A
/// paced run writes the timing signals, if they were added.
RunReport run(Simulation& simulation, const RunOptions& options, RunControl& control);

}  // namespace lockstep
