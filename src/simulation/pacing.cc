#include "simulation/pacing.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/error.h"

namespace lockstep {
namespace {

/// A sleep ends late by up to this much; the rest of the wait is spun.
constexpr Duration kSpin = std::chrono::microseconds(100);
/// Lateness below this is the noise of reading the clock, not an overrun.
constexpr Duration kOnTime = std::chrono::microseconds(10);

}  // namespace

void Pacer::rebase(double speed, Duration simulated) {
  LOCKSTEP_CHECK(speed > 0.0);
  speed_ = speed;
  start_ = Clock::now();
  start_time_ = simulated;
}

void Pacer::wait_until(Duration simulated) {
  const double wait_ns = static_cast<double>((simulated - start_time_).count()) / speed_;
  const Clock::time_point deadline = start_ + Duration(std::llround(wait_ns));
  const Clock::time_point arrival = Clock::now();
  if (arrival > deadline + kOnTime) {
    ++overruns_;
    worst_lateness_ = std::max<Duration>(worst_lateness_, arrival - deadline);
    return;
  }
  if (deadline - arrival > kSpin) std::this_thread::sleep_until(deadline - kSpin);
  while (Clock::now() < deadline) {
  }
}

}  // namespace lockstep
