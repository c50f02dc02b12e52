#pragma once

#include <algorithm>
#include <cmath>

namespace lockstep {

/// One step from `from` to `to`, no longer than `max_step`. The last one ends exactly at `to`, without a step
/// more for the roundings of those before it. NaN stays NaN, so that the world sees and reports it.
inline double approach(double from, double to, double max_step) {
  constexpr double kRounding = 1e-6;  // of a step: far more than a million roundings, far less than matters
  const double way = to - from;
  if (std::abs(way) <= max_step * (1.0 + kRounding)) return to;
  return from + std::clamp(way, -max_step, max_step);
}

/// What a command signal that switches something means.
inline bool is_on(double command) {
  return command >= 0.5;
}

}  // namespace lockstep
