#pragma once

#include <chrono>
#include <cstdint>

/// Simulated time. It is counted, never accumulated: the n-th step begins at exactly n * step.
namespace lockstep {

using Duration = std::chrono::nanoseconds;  ///< simulated time and lengths of it; 64 bits reach 292 years

constexpr double to_seconds(Duration d) {
  return static_cast<double>(d.count()) / 1e9;
}

/// The moment a device is called at.
struct Instant {
  std::int64_t step = 0;  ///< physics steps taken since the start of the scenario
  Duration time{0};       ///< step * physics step
  double seconds = 0.0;   ///< the same as `time`, for formulas
};

}  // namespace lockstep
