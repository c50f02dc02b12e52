#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "lockstep/time.h"

namespace lockstep {

/// The wall clock. Tests use their own implementation.
class WallClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~WallClock() = default;
  virtual Time now() = 0;
  /// Returns at `deadline`, at once if it is past.
  virtual void wait_until(Time deadline) = 0;
};

/// Sleeps until shortly before the deadline and spins for the rest, so that the median lateness is almost zero.
class SteadyClock final : public WallClock {
 public:
  Time now() override { return std::chrono::steady_clock::now(); }
  void wait_until(Time deadline) override;
};

struct PacingOptions {
  double speed = 1.0;                          ///< simulated seconds per second, above 0
  Duration grace{0};                           ///< real time from the start in which overruns are not counted
  std::optional<std::int64_t> max_overruns{};  ///< the run ends after more overruns than this
  /// A run that is later than this does not catch up: the clock restarts. Default: it always catches up.
  std::optional<Duration> max_lag{};
};

/// How well a run kept real time. A cycle is the real time of one step: its length divided by the speed.
struct PacingStatistics {
  std::int64_t overruns = 0;       ///< steps that took longer than their cycle
  std::int64_t missed_cycles = 0;  ///< full cycles that passed: an overrun of 3.4 cycles misses 3
  /// What is left of a cycle after the step and its wait for controllers; negative if they took longer.
  std::optional<Duration> least_headroom{};
  Duration headroom_sum{0};
  std::int64_t headroom_count = 0;
  /// Without what waiting for controllers has caused, which is told apart below.
  Duration lateness{0};        ///< at the start of the last step
  Duration worst_lateness{0};  ///< at the start of any step
  Duration worst_lateness_by_controllers{0};
  /// Number of steps that started late by up to each of kLatenessBounds; the last one: by more.
  static constexpr std::array kLatenessBounds = {
      Duration(10'000),     Duration(30'000),     Duration(100'000),
      Duration(300'000),    Duration(1'000'000),  Duration(3'000'000),
      Duration(10'000'000), Duration(30'000'000), Duration(100'000'000)};
  std::array<std::int64_t, kLatenessBounds.size() + 1> histogram{};
};

/// Synchronises simulated time with the wall clock. Deadlines are absolute, so that errors never accumulate:
/// after an overrun the following steps run without waiting until the run has caught up, and count as overruns
/// only if they themselves take too long.
class Pacer {
 public:
  Pacer(const PacingOptions& options, Duration step, Duration simulated, WallClock& clock);

  /// Restarts the clock now, after a pause or a change of speed.
  void rebase(double speed, Duration simulated);

  /// Waits until simulated time `simulated` is due and measures the step before it, without the time spent
  /// waiting for controllers.
  void wait_until(Duration simulated, Duration waited_for_others = Duration(0));

  /// When simulated time `simulated` is due.
  WallClock::Time deadline(Duration simulated) const;

  const PacingStatistics& statistics() const { return statistics_; }
  bool has_too_many_overruns() const {
    return options_.max_overruns && statistics_.overruns > *options_.max_overruns;
  }

 private:
  using Time = WallClock::Time;
  void judge(Time arrival, Duration taken);
  void note_lateness(Duration lateness, Duration by_controllers);
  void note_headroom(Time arrival, Duration headroom);

  PacingOptions options_;
  WallClock* clock_;
  Duration step_;
  Time end_of_grace_;
  Time start_;
  Duration start_simulated_{0};
  Duration cycle_{0};
  Duration by_controllers_{0};  // the part of the present lateness that waiting for controllers has caused
  std::optional<Time> began_;   // when the current step was due or, if later, could start
  PacingStatistics statistics_;
};

}  // namespace lockstep
