#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lockstep/time.h"

namespace lockstep {

/// Counts times in classes that are at most 1.6 % wide, so that a run of any length takes the same memory and a
/// quantile is right to 1 %.
class RoundTrips {
 public:
  void note(Duration time);

  /// The time that a fraction of all stays below: 0.5 gives the median. Nothing noted: 0.
  Duration quantile(double fraction) const;
  Duration worst() const { return worst_; }

 private:
  static constexpr std::size_t kClasses = 2304;  // up to 2000 s
  std::array<std::int64_t, kClasses> classes_{};
  std::int64_t count_ = 0;
  Duration worst_{0};
};

}  // namespace lockstep
