#include "control/supervisor.h"

#include <algorithm>

namespace lockstep {

Supervisor::Supervisor(std::vector<State> states, std::size_t initial, Slot state_signal, Slot time_signal)
    : states_(std::move(states)), state_signal_(state_signal), time_signal_(time_signal), current_(initial) {
  std::size_t most = 0;
  for (const State& state : states_) {
    most = std::max(most, state.transitions.size());
    auto& fresh = fresh_.emplace_back();
    for (const Member& member : state.members) {
      StateWriter writer;
      member.controller->save(writer);
      fresh.emplace_back(writer.bytes().begin(), writer.bytes().end());
    }
  }
  since_.assign(most, kNever);
}

Status Supervisor::decide(const Instant& now, Row row) {
  if (!is_running_) {
    is_running_ = true;
    enter(current_, now, row);
  } else {
    row[time_signal_] = to_seconds(now.time - entered_.time);
    const std::vector<Transition>& transitions = states_[current_].transitions;
    std::optional<std::size_t> next;
    // All of them, so that each knows since when it holds.
    for (std::size_t i = 0; i < transitions.size(); ++i) {
      if (is_due(i, now, row) && !next) next = transitions[i].to;
    }
    if (next) enter(*next, now, row);
  }
  const Instant inside{now.step - entered_.step, now.time - entered_.time,
                       to_seconds(now.time - entered_.time)};
  for (Member& member : states_[current_].members) {
    if (inside.step % member.every != 0) continue;
    if (Status status = member.controller->decide(inside, row); !status.ok()) return status;
  }
  return {};
}

bool Supervisor::is_due(std::size_t index, const Instant& now, Row row) {
  const Transition& transition = states_[current_].transitions[index];
  if (!transition.condition.is_true(row)) {
    since_[index] = kNever;
    return false;
  }
  if (since_[index] == kNever) since_[index] = now.step;
  return now.step - since_[index] >= transition.after;
}

void Supervisor::enter(std::size_t state, const Instant& now, Row row) {
  current_ = state;
  entered_ = now;
  std::fill(since_.begin(), since_.end(), kNever);
  row[state_signal_] = static_cast<double>(state);
  row[time_signal_] = 0.0;
  for (const Setting& setting : states_[state].settings) row[setting.signal] = setting.value;
  for (std::size_t i = 0; i < states_[state].members.size(); ++i) {
    StateReader reader(fresh_[state][i]);
    states_[state].members[i].controller->restore(reader);
  }
}

void Supervisor::save(StateWriter& writer) const {
  writer.write(static_cast<std::uint64_t>(current_));
  writer.write(is_running_);
  writer.write(entered_.step);
  writer.write(entered_.time.count());
  writer.write(std::span<const std::int64_t>(since_));
  // The others start anew when their turn comes.
  for (const Member& member : states_[current_].members) member.controller->save(writer);
}

void Supervisor::restore(StateReader& reader) {
  const auto current = reader.read<std::uint64_t>();
  if (current >= states_.size()) throw StateError("a supervisor has no state of that number");
  current_ = static_cast<std::size_t>(current);
  is_running_ = reader.read<bool>();
  entered_.step = reader.read<std::int64_t>();
  entered_.time = Duration(reader.read<Duration::rep>());
  entered_.seconds = to_seconds(entered_.time);
  reader.read_into(std::span<std::int64_t>(since_));
  for (const Member& member : states_[current_].members) member.controller->restore(reader);
}

}  // namespace lockstep
