#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace lockstep {

/// The middle one of some measurements, of an even number the upper; there must be one.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of the steady clock, from an instant of its own.
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace lockstep
