#include "lockstep/error.h"
#include "lockstep/signals.h"

namespace lockstep {

Slot SignalTable::add(std::string name, std::string unit, SignalRole role, double initial) {
  const Slot slot{infos_.size()};
  const bool is_new = slots_.emplace(name, slot).second;
  LOCKSTEP_CHECK(is_new);
  infos_.push_back({std::move(name), std::move(unit), role, {}});
  initial_.push_back(initial);
  return slot;
}

std::optional<Slot> SignalTable::find(std::string_view name) const {
  const auto it = slots_.find(std::string(name));
  if (it == slots_.end()) return std::nullopt;
  return it->second;
}

std::vector<std::string> SignalTable::names() const {
  std::vector<std::string> names;
  names.reserve(infos_.size());
  for (const SignalInfo& info : infos_) names.push_back(info.name);
  return names;
}

}  // namespace lockstep
