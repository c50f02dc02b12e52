#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace lockstep {

/// Median; for an even number the upper middle one. Must not be empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds of the steady clock, from an arbitrary start.
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace lockstep
