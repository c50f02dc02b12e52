#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "lockstep/time.h"

namespace lockstep {

/// The wall clock. Tests put their own in its place.
class WallClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~WallClock() = default;
  virtual Time now() = 0;
  /// Comes back at `deadline`, sooner only if that is past.
  virtual void wait_until(Time deadline) = 0;
};

/// Sleeps until shortly before the deadline and spins the rest, which takes the median lateness to nothing.
class SteadyClock final : public WallClock {
 public:
  Time now() override { return std::chrono::steady_clock::now(); }
  void wait_until(Time deadline) override;
};

struct PacingOptions {
  double speed = 1.0;  ///< simulated seconds per second, above 0
  Duration grace{0};   ///< from the start, of the wall clock: overruns in it are not counted
  std::optional<std::int64_t> max_overruns{};  ///< the run ends when there are more
  /// A run that is later than this does not catch up: real time counts from there again. Default: it always
  /// catches up.
  std::optional<Duration> max_lag{};
};

/// How well a run kept to the clock. A cycle is the time that one step has: its length divided by the speed.
struct PacingStatistics {
  std::int64_t overruns = 0;       ///< steps that took longer than their cycle
  std::int64_t missed_cycles = 0;  ///< whole cycles that passed meanwhile: an overrun of 3.4 cycles misses 3
  Duration lateness{0};            ///< at the beginning of the last step
  Duration worst_lateness{0};      ///< at the beginning of any step
  /// How many steps began late by up to each of kLatenessBounds; the last number: by more.
  static constexpr std::array kLatenessBounds = {
      Duration(10'000),     Duration(30'000),     Duration(100'000),
      Duration(300'000),    Duration(1'000'000),  Duration(3'000'000),
      Duration(10'000'000), Duration(30'000'000), Duration(100'000'000)};
  std::array<std::int64_t, kLatenessBounds.size() + 1> histogram{};
};

/// Holds simulated time to the wall clock. Deadlines are absolute, so that errors never add up: after an
/// overrun the following steps come without a wait until the time is caught up, and count as overruns only if
/// they themselves take too long.
class Pacer {
 public:
  Pacer(const PacingOptions& options, Duration step, Duration simulated, WallClock& clock);

  /// Starts counting again from now, after a pause or at another speed.
  void rebase(double speed, Duration simulated);

  /// Waits until simulated time `simulated` is due and judges the step that led there, without the time in it
  /// that was spent waiting for others.
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
  void note_lateness(Duration lateness);

  PacingOptions options_;
  WallClock* clock_;
  Duration step_;
  Time end_of_grace_;
  Time start_;
  Duration start_simulated_{0};
  Duration cycle_{0};
  std::optional<Time> began_;  // when the step being taken was due, or later, when it could begin
  PacingStatistics statistics_;
};

}  // namespace lockstep
