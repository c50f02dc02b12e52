#include "connection/round_trips.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep {
namespace {

/// Mantissa bits: a time in units of 2^shift ns has at most this many bits, the highest set from the second
/// octave on.
constexpr int kBits = 7;
constexpr std::size_t kPerOctave = 1u << (kBits - 1);

/// The lower bound of a class.
std::size_t lower_bound_of(std::size_t index) {
  const std::size_t shift = index < 2 * kPerOctave ? 0 : index / kPerOctave - 1;
  return (index - shift * kPerOctave) << shift;
}

}  // namespace

void RoundTrips::note(Duration time, Duration at) {
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  const int shift = std::max(0, static_cast<int>(std::bit_width(count)) - kBits);
  const std::size_t index = static_cast<std::size_t>(shift) * kPerOctave + (count >> shift);
  ++classes_[std::min(index, kClasses - 1)];
  ++count_;
  if (time <= worst_) return;
  worst_ = time;
  worst_at_ = at;
}

Duration RoundTrips::quantile(double fraction) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(fraction * static_cast<double>(count_)));
  std::int64_t below = 0;
  for (std::size_t i = 0; i < kClasses && count_ > 0; ++i) {
    below += classes_[i];
    if (below < wanted) continue;
    const std::size_t shift = i < 2 * kPerOctave ? 0 : i / kPerOctave - 1;
    const std::size_t lower = lower_bound_of(i);
    return std::min(worst_, Duration(static_cast<std::int64_t>(lower + ((std::size_t{1} << shift) >> 1))));
  }
  return Duration(0);
}

TimeHistogram RoundTrips::histogram() const {
  TimeHistogram counts{};
  for (std::size_t i = 0; i < kClasses; ++i) {
    const Duration lower(static_cast<std::int64_t>(lower_bound_of(i)));
    const auto bound = std::lower_bound(kTimeBounds.begin(), kTimeBounds.end(), lower);
    counts[static_cast<std::size_t>(bound - kTimeBounds.begin())] += classes_[i];
  }
  return counts;
}

}  // namespace lockstep
