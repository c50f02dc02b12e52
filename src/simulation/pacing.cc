#include "simulation/pacing.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "lockstep/error.h"

namespace lockstep {
namespace {

/// A sleep may end this late; the rest of the wait is a spin loop.
constexpr Duration kSpin = std::chrono::microseconds(100);

Duration divide(Duration simulated, double speed) {
  return Duration(std::llround(static_cast<double>(simulated.count()) / speed));
}

}  // namespace

void SteadyClock::wait_until(Time deadline) {
  if (deadline - now() > kSpin) std::this_thread::sleep_until(deadline - kSpin);
  while (now() < deadline) {
  }
}

Pacer::Pacer(const PacingOptions& options, Duration step, Duration simulated, WallClock& clock)
    : options_(options), clock_(&clock), step_(step) {
  rebase(options.speed, simulated);
  end_of_grace_ = start_ + options.grace;
}

void Pacer::rebase(double speed, Duration simulated) {
  LOCKSTEP_CHECK(speed > 0.0);
  options_.speed = speed;
  start_ = clock_->now();
  start_simulated_ = simulated;
  cycle_ = std::max(Duration(1), divide(step_, speed));
  began_.reset();
  by_controllers_ = Duration(0);
}

WallClock::Time Pacer::deadline(Duration simulated) const {
  return start_ + divide(simulated - start_simulated_, options_.speed);
}

void Pacer::wait_until(Duration simulated, Duration waited_for_others) {
  const Time arrival = clock_->now();
  if (options_.max_lag && arrival - deadline(simulated) > *options_.max_lag) rebase(options_.speed, simulated);
  const Time due = deadline(simulated);
  if (began_) {
    const Duration taken = std::chrono::duration_cast<Duration>(arrival - *began_);
    judge(arrival, taken - waited_for_others);
    note_headroom(arrival, cycle_ - taken);
    // A wait makes a step late only as far as it does not fit into the cycle.
    by_controllers_ += std::clamp(taken - cycle_, Duration(0), waited_for_others);
  }
  if (arrival < due) clock_->wait_until(due);
  // Late wake-up from a wait counts as part of the step.
  began_ = std::max(arrival, due);
  const auto lateness = std::max(Duration(0), std::chrono::duration_cast<Duration>(clock_->now() - due));
  by_controllers_ = std::min(by_controllers_, lateness);
  note_lateness(lateness - by_controllers_, by_controllers_);
}

void Pacer::judge(Time arrival, Duration taken) {
  if (taken <= cycle_ || arrival < end_of_grace_) return;
  ++statistics_.overruns;
  statistics_.missed_cycles += taken / cycle_;
}

void Pacer::note_headroom(Time arrival, Duration headroom) {
  if (arrival < end_of_grace_) return;
  statistics_.least_headroom = std::min(statistics_.least_headroom.value_or(headroom), headroom);
  statistics_.headroom_sum += headroom;
  ++statistics_.headroom_count;
}

void Pacer::note_lateness(Duration lateness, Duration by_controllers) {
  statistics_.lateness = lateness;
  if (clock_->now() < end_of_grace_) return;
  statistics_.worst_lateness = std::max(statistics_.worst_lateness, lateness);
  statistics_.worst_lateness_by_controllers =
      std::max(statistics_.worst_lateness_by_controllers, by_controllers);
  const auto& bounds = PacingStatistics::kLatenessBounds;
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), lateness) - bounds.begin();
  ++statistics_.histogram[static_cast<std::size_t>(bucket)];
}

}  // namespace lockstep
