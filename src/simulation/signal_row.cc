#include "simulation/signal_row.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lockstep/error.h"

namespace lockstep {

SignalRow::SignalRow(SignalTable table) : table_(std::move(table)) {
  const auto time = table_.find("time");
  time_ = time ? *time : table_.add("time", "s", SignalRole::kInternal);
  values_.assign(table_.initial().begin(), table_.initial().end());
  const auto all = table_.all();
  const auto is_timing = [](const SignalInfo& info) { return info.role == SignalRole::kTiming; };
  state_size_ = static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_timing) - all.begin());
  for (std::size_t i = 0; i < state_size_; ++i) {
    if (all[i].role == SignalRole::kHealth) health_.push_back(i);
  }
  LOCKSTEP_CHECK(std::all_of(all.begin() + static_cast<std::ptrdiff_t>(state_size_), all.end(), is_timing));
}

std::optional<Slot> SignalRow::find_invalid() const {
  const auto is_invalid = [](double value) { return !std::isfinite(value); };
  const std::span<const double> values = std::span(values_).first(state_size_);
  // x * 0 is 0 for a finite x and NaN for any other. Independent sums, because one would wait for each addition.
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= values.size(); i += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += values[i + k] * 0.0;
  }
  for (; i < values.size(); ++i) sums[0] += values[i] * 0.0;
  if (sums[0] + sums[1] + sums[2] + sums[3] == 0.0) return std::nullopt;
  return Slot(std::find_if(values.begin(), values.end(), is_invalid) - values.begin());
}

void SignalRow::save(StateWriter& writer) const {
  const std::span<const double> values = std::span(values_).first(state_size_);
  if (!writer.is_for_hash() || health_.empty()) {
    writer.write(values);
    return;
  }
  std::size_t begin = 0;
  for (const std::size_t health : health_) {
    if (health > begin) writer.write(values.subspan(begin, health - begin));
    begin = health + 1;
  }
  writer.write(values.subspan(begin));
}

Slot SignalRow::add_timing(const std::string& name, const std::string& unit) {
  if (const auto slot = find_timing(name)) return *slot;
  std::string free_name = name;
  while (table_.find(free_name)) free_name += '_';
  values_.push_back(0.0);
  return table_.add(free_name, unit, SignalRole::kTiming);
}

std::optional<Slot> SignalRow::find_timing(std::string name) const {
  // A device of the scenario may have this name; then the signal gets another one.
  for (;; name += '_') {
    const auto slot = table_.find(name);
    if (!slot || table_.info(*slot).role == SignalRole::kTiming) return slot;
  }
}

void SignalRow::set_timing(Slot signal, double value) {
  LOCKSTEP_CHECK(table_.info(signal).role == SignalRole::kTiming);
  row()[signal] = value;
}

}  // namespace lockstep
