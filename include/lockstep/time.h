#pragma once

#include <chrono>
#include <cstdint>

/// Simulated time: an integer number of nanoseconds. It is counted, never accumulated, so it does not drift:
///
///     time of step n = n * step        exactly
///
/// It has nothing to do with the wall clock. A run in real time only decides when a step happens, never which
/// time the step has.
namespace lockstep {

/// Simulated time and lengths of it; 64 bits reach 292 years. Literals of <chrono> convert: `2ms`, `500us`.
using Duration = std::chrono::nanoseconds;

/// The same in seconds, for formulas. Exact to the nanosecond up to 4e6 s, or 46 days.
constexpr double to_seconds(Duration d) {
  return static_cast<double>(d.count()) / 1e9;
}

/// The moment at which a device is called. Three forms of the same moment, so that each caller takes the one
/// that is exact for it.
struct Instant {
  std::int64_t step = 0;  ///< physics steps taken since the start of the scenario
  Duration time{0};       ///< step * physics step
  double seconds = 0.0;   ///< the same as `time`, for formulas
};

}  // namespace lockstep
