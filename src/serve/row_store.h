#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "lockstep/signals.h"
#include "serve/view_formula.h"

namespace lockstep::serve {

/// The rows of a run, all signals, in bounded memory: when it is full, the oldest rows are dropped. From it
/// viewers get rows that they have missed, and the past of signals that they subscribe late.
class RowStore {
 public:
  static constexpr std::size_t kMaxBytes = 64u << 20;

  explicit RowStore(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Another run, with rows of this many signals, this many steps apart.
  void clear(std::size_t signals, std::int64_t steps_per_row = 1) {
    rows_.clear();
    width_ = signals;
    steps_per_row_ = steps_per_row;
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
  Part find(const std::vector<Slot>& signals, const ViewFormulas& formulas, double from, double to,
            std::size_t max_numbers) const;
  /// The row of a step, given by the caller, with the row before it if that is known.
  RowPair pair_of(std::int64_t step, double seconds, ConstRow row) const;

 private:
  struct Entry {
    std::int64_t step = 0;
    double seconds = 0.0;
    std::vector<double> values;
  };
  /// What precedes a step; null if it is not the neighbouring row.
  const Entry* find_before(std::int64_t step) const;

  std::size_t max_bytes_;
  std::size_t width_ = 0;
  std::int64_t steps_per_row_ = 1;
  std::deque<Entry> rows_;  // by step
};

}  // namespace lockstep::serve
