#pragma once

#include <algorithm>
#include <cmath>

namespace lockstep {

/// Rate limiter: one step from `from` towards `to`, at most `max_step` long. The last step ends exactly at
/// `to`; rounding errors do not cause an extra step. NaN stays NaN, so that the world sees and reports it.
inline double approach(double from, double to, double max_step) {
  constexpr double kRounding = 1e-6;  // of a step: above a million rounding errors, below what matters
  const double way = to - from;
  if (std::abs(way) <= max_step * (1.0 + kRounding)) return to;
  return from + std::clamp(way, -max_step, max_step);
}

/// Whether a command signal that switches something is on.
inline bool is_on(double command) {
  return command >= 0.5;
}

}  // namespace lockstep
