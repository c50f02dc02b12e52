#include "simulation/signal_row.h"

#include <algorithm>

#include "lockstep/error.h"

namespace lockstep {

SignalRow::SignalRow(SignalTable table) : table_(std::move(table)) {
  const auto time = table_.find("time");
  time_ = time ? *time : table_.add("time", "s", SignalRole::kInternal);
  values_.assign(table_.initial().begin(), table_.initial().end());
  const auto all = table_.all();
  const auto is_timing = [](const SignalInfo& info) { return info.role == SignalRole::kTiming; };
  state_size_ = static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_timing) - all.begin());
  LOCKSTEP_CHECK(std::all_of(all.begin() + static_cast<std::ptrdiff_t>(state_size_), all.end(), is_timing));
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
