#include "serve/row_store.h"

#include <algorithm>

namespace lockstep::serve {

void RowStore::cut(std::int64_t step) {
  while (!rows_.empty() && rows_.back().step >= step) rows_.pop_back();
}

void RowStore::add(std::int64_t step, double seconds, ConstRow row) {
  if (!rows_.empty() && step <= rows_.back().step) return;
  const std::size_t bytes = sizeof(Entry) + width_ * sizeof(double);
  Entry entry;
  if (!rows_.empty() && (rows_.size() + 1) * bytes > max_bytes_) {
    entry = std::move(rows_.front());  // reuses its memory
    rows_.pop_front();
  }
  entry.step = step;
  entry.seconds = seconds;
  entry.values.resize(width_);
  for (std::size_t i = 0; i < width_; ++i) entry.values[i] = row[Slot{i}];
  rows_.push_back(std::move(entry));
}

const RowStore::Entry* RowStore::find_before(std::int64_t step) const {
  const auto found =
      std::lower_bound(rows_.begin(), rows_.end(), step,
                       [](const Entry& each, std::int64_t wanted) { return each.step < wanted; });
  if (found == rows_.begin() || step - std::prev(found)->step > steps_per_row_) return nullptr;
  return &*std::prev(found);
}

RowPair RowStore::pair_of(std::int64_t step, double seconds, ConstRow row) const {
  RowPair pair{.now = row};
  if (const Entry* before = find_before(step)) {
    pair.before = ConstRow(before->values);
    pair.seconds_between = seconds - before->seconds;
  }
  return pair;
}

RowStore::Part RowStore::find(const std::vector<Slot>& signals, const ViewFormulas& formulas, double from,
                              double to, std::size_t max_numbers) const {
  Part part;
  auto row = std::lower_bound(rows_.begin(), rows_.end(), from,
                              [](const Entry& each, double time) { return each.seconds < time; });
  for (; row != rows_.end() && row->seconds <= to; ++row) {
    if (part.numbers.size() + 1 + signals.size() > max_numbers) {
      part.is_complete = false;
      break;
    }
    part.numbers.push_back(row->seconds);
    RowPair pair{.now = ConstRow(row->values)};
    if (!formulas.empty()) pair = pair_of(row->step, row->seconds, ConstRow(row->values));
    for (const Slot slot : signals) part.numbers.push_back(value_of(slot, formulas, pair));
  }
  return part;
}

}  // namespace lockstep::serve
