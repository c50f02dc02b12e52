#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "lockstep/signals.h"

namespace lockstep::serve {

/// The rows of a run, all signals, in bounded memory: when it is full, the oldest rows are dropped. From it
/// viewers get rows that they have missed, and the past of signals that they subscribe late.
class RowStore {
 public:
  static constexpr std::size_t kMaxBytes = 64u << 20;

  explicit RowStore(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Another run, with rows of this many signals.
  void clear(std::size_t signals) {
    rows_.clear();
    width_ = signals;
  }
  /// Drops the rows at and after a step.
  void cut(std::int64_t step);
  /// Adds the row of a step, s; ignored if that step is known or earlier than the last one.
  void add(std::int64_t step, double seconds, ConstRow row);

  struct Part {
    std::vector<double> numbers;  ///< per row: time, then the signals
    bool is_complete = true;      ///< false: there are more rows after these
  };
  /// The rows with from <= time <= to, s: the first ones, with at most `max_numbers` numbers.
  Part find(const std::vector<Slot>& signals, double from, double to, std::size_t max_numbers) const;

 private:
  struct Entry {
    std::int64_t step = 0;
    double seconds = 0.0;
    std::vector<double> values;
  };
  std::size_t max_bytes_;
  std::size_t width_ = 0;
  std::deque<Entry> rows_;  // by step
};

}  // namespace lockstep::serve
