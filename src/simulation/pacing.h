#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace lockstep {

/// Holds simulated time to the wall clock. Deadlines are absolute, so that errors never add up; a late step is
/// counted and the following ones catch up.
class Pacer {
 public:
  /// `speed` simulated seconds per second; must be positive.
  Pacer(double speed, Duration start_time) { rebase(speed, start_time); }

  /// Starts counting anew from now, after a pause or at another speed.
  void rebase(double speed, Duration simulated);

  /// Waits until simulated time `simulated` is due: sleeps most of it and spins the last bit.
  void wait_until(Duration simulated);

  std::int64_t overruns() const { return overruns_; }  ///< steps that were not ready in time
  Duration worst_lateness() const { return worst_lateness_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  Duration start_time_{0};
  double speed_ = 1.0;
  std::int64_t overruns_ = 0;
  Duration worst_lateness_{0};
};

}  // namespace lockstep
