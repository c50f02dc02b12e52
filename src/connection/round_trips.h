#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "connection/connection.h"
#include "lockstep/time.h"

namespace lockstep {

/// Histogram of round-trip times with bins at most 1.6 % wide: constant memory for any run, quantiles accurate
/// to 1 %.
class RoundTrips {
 public:
  /// `at` is the simulated time.
  void note(Duration time, Duration at);

  /// Quantile: 0.5 gives the median. 0 if empty.
  Duration quantile(double fraction) const;
  Duration worst() const { return worst_; }
  Duration worst_at() const { return worst_at_; }  ///< simulated time of the worst

  /// Number of times up to each of kTimeBounds, and beyond the last.
  TimeHistogram histogram() const;

 private:
  static constexpr std::size_t kClasses = 2304;  // up to 2000 s
  std::array<std::int64_t, kClasses> classes_{};
  std::int64_t count_ = 0;
  Duration worst_{0};
  Duration worst_at_{0};
};

}  // namespace lockstep
