#include "simulation/faults.h"

#include <algorithm>
#include <limits>

namespace lockstep {

std::optional<FaultId> Faults::find(std::string_view name) const {
  const auto it = std::find_if(declared_.begin(), declared_.end(),
                               [&](const DeclaredFault& fault) { return fault.name == name; });
  if (it == declared_.end()) return std::nullopt;
  return FaultId{static_cast<int>(it - declared_.begin())};
}

void Faults::set(const SetFault& change, std::int64_t step, Row row) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  const auto i = static_cast<std::size_t>(change.fault);
  const bool has_no_end = change.steps == 0 || change.steps > kNever - step;
  ends_[i] = !change.on ? 0 : has_no_end ? kNever : step + change.steps;
  row[declared_[i].active] = change.on ? 1.0 : 0.0;
}

void Faults::end_due(std::int64_t step, Row row) const {
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (ends_[i] <= step) row[declared_[i].active] = 0.0;
  }
}

void Faults::save(StateWriter& writer) const {
  for (const std::int64_t end : ends_) writer.write(end);
}

void Faults::restore(StateReader& reader) {
  for (std::int64_t& end : ends_) end = reader.read<std::int64_t>();
}

}  // namespace lockstep
