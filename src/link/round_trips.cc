#include "link/round_trips.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr double kShortest = 100.0;  // ns
constexpr double kWidth = 1.02;

}  // namespace

void RoundTrips::note(Duration time) {
  const double ratio = static_cast<double>(time.count()) / kShortest;
  const double at = ratio > 1.0 ? std::log(ratio) / std::log(kWidth) : 0.0;
  ++classes_[std::min(static_cast<std::size_t>(at), kClasses - 1)];
  ++count_;
  worst_ = std::max(worst_, time);
}

Duration RoundTrips::quantile(double fraction) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(fraction * static_cast<double>(count_)));
  std::int64_t below = 0;
  for (std::size_t i = 0; i < kClasses && count_ > 0; ++i) {
    below += classes_[i];
    if (below < wanted) continue;
    const double middle = kShortest * std::pow(kWidth, static_cast<double>(i) + 0.5);
    return std::min(worst_, Duration(std::llround(middle)));
  }
  return Duration(0);
}

}  // namespace lockstep
