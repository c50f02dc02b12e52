#include "connection/watchdog.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

Watchdogs::Watchdogs(std::vector<Watchdog> watchdogs)
    : watchdogs_(std::move(watchdogs)), states_(watchdogs_.size()) {}

const Watchdogs::Watchdog* Watchdogs::act(std::int64_t steps, std::span<const Slot> slots, Row row,
                                          CommandShaper& shaper) {
  const Watchdog* ends = nullptr;
  for (std::size_t i = 0; i < watchdogs_.size(); ++i) {
    const Watchdog& watchdog = watchdogs_[i];
    State& state = states_[i];
    if (steps < watchdog.hold) continue;
    const Slot slot = slots[watchdog.command];
    if (!state.is_acting) state = {true, row[slot]};
    is_resting_ = false;
    const double passed = static_cast<double>(steps - watchdog.hold);
    const double share = watchdog.ramp == 0 ? 1.0 : std::min(1.0, passed / static_cast<double>(watchdog.ramp));
    const double value = state.from * (1.0 - share) + watchdog.safe * share;
    row[slot] = value;
    shaper.set(watchdog.command, value);
    if (watchdog.stops && share == 1.0 && ends == nullptr) ends = &watchdog;
  }
  return ends;
}

void Watchdogs::rest() {
  if (is_resting_) return;
  states_.assign(states_.size(), {});
  is_resting_ = true;
}

void Watchdogs::save(StateWriter& writer) const {
  for (const State& state : states_) {
    writer.write(state.is_acting);
    writer.write(state.from);
  }
}

void Watchdogs::restore(StateReader& reader) {
  is_resting_ = true;
  for (State& state : states_) {
    state.is_acting = reader.read<bool>();
    state.from = reader.read<double>();
    if (!std::isfinite(state.from)) throw StateError("a command of a watchdog is not a finite number");
    is_resting_ = is_resting_ && !state.is_acting;
  }
}

}  // namespace lockstep
