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

RowStore::Part RowStore::find(const std::vector<Slot>& signals, double from, double to,
                              std::size_t max_numbers) const {
  Part part;
  auto row = std::lower_bound(rows_.begin(), rows_.end(), from,
                              [](const Entry& each, double time) { return each.seconds < time; });
  for (; row != rows_.end() && row->seconds <= to; ++row) {
    if (part.numbers.size() + 1 + signals.size() > max_numbers) {
      part.is_complete = false;
      break;
    }
    part.numbers.push_back(row->seconds);
    for (const Slot slot : signals) part.numbers.push_back(row->values[static_cast<std::size_t>(slot)]);
  }
  return part;
}

}  // namespace lockstep::serve
