#pragma once

#include <algorithm>
#include <vector>

namespace lockstep {

/// The middle one of some measurements, of an even number the upper; there must be one.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace lockstep
