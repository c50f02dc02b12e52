#include "serve/history.h"

#include <algorithm>

namespace lockstep::serve {
namespace {

constexpr std::int64_t kFirstInterval = 64;

std::vector<std::uint8_t> state_of(const Simulation& simulation) {
  StateWriter writer;
  simulation.save(writer);
  return {writer.bytes().begin(), writer.bytes().end()};
}

template <typename List>
auto first_after(List& list, std::int64_t step) {
  return std::upper_bound(list.begin(), list.end(), step,
                          [](std::int64_t value, const auto& each) { return value < each.step; });
}

}  // namespace

void History::begin(const Simulation& simulation) {
  keyframes_.clear();
  arrivals_.clear();
  inputs_.clear();
  bytes_ = 0;
  interval_ = kFirstInterval;
  end_ = simulation.now().step;
  add(simulation);
}

void History::begin_replay(const Simulation& simulation, std::vector<Arrival> arrivals,
                           std::vector<std::deque<ConnectionInput>> inputs, std::int64_t end) {
  begin(simulation);
  arrivals_ = std::move(arrivals);
  inputs_ = std::move(inputs);
  end_ = end;
}

void History::add(const Simulation& simulation) {
  keyframes_.push_back({simulation.now().step, state_of(simulation)});
  bytes_ += keyframes_.back().state.size();
  while (keyframes_.size() > 2 && (keyframes_.size() > limits_.keyframes || bytes_ > limits_.bytes)) thin_out();
}

void History::thin_out() {
  interval_ *= 2;
  std::vector<Keyframe> kept;
  bytes_ = 0;
  for (std::size_t i = 0; i < keyframes_.size(); i += 2) {
    bytes_ += keyframes_[i].state.size();
    kept.push_back(std::move(keyframes_[i]));
  }
  keyframes_ = std::move(kept);
}

void History::forget_oldest() {
  if (keyframes_.size() < 2) return;
  const auto middle = keyframes_.begin() + static_cast<std::ptrdiff_t>(keyframes_.size() / 2);
  keyframes_.erase(keyframes_.begin(), middle);
  bytes_ = 0;
  for (const Keyframe& keyframe : keyframes_) bytes_ += keyframe.state.size();
  arrivals_.erase(arrivals_.begin(), first_after(arrivals_, keyframes_.front().step));
}

void History::note(Simulation& simulation) {
  for (Arrival& arrival : simulation.take_arrivals()) arrivals_.push_back(std::move(arrival));
  end_ = simulation.now().step;
  note_state(simulation);
  if (arrivals_.size() <= limits_.arrivals) return;
  // Keep a keyframe after the dropped part, as the new start.
  if (keyframes_.back().step < end_) add(simulation);
  forget_oldest();
}

void History::note_state(const Simulation& simulation) {
  if (simulation.now().step >= keyframes_.back().step + interval_) add(simulation);
}

void History::note_events(Simulation& simulation) {
  for (Arrival& arrival : simulation.take_arrivals()) arrivals_.push_back(std::move(arrival));
  Keyframe& last = keyframes_.back();
  // Inputs before the first step are applied by that step, also when it is repeated.
  if (last.step != simulation.now().step || last.step == 0) return;
  bytes_ -= last.state.size();
  last.state = state_of(simulation);
  bytes_ += last.state.size();
}

void History::branch(const Simulation& simulation) {
  const std::int64_t step = simulation.now().step;
  if (step >= end_) return;
  arrivals_.erase(first_after(arrivals_, step), arrivals_.end());
  while (keyframes_.size() > 1 && keyframes_.back().step > step) {
    bytes_ -= keyframes_.back().state.size();
    keyframes_.pop_back();
  }
  end_ = step;
}

const History::Keyframe& History::before(std::int64_t step) const {
  const auto after = first_after(keyframes_, step);
  return after == keyframes_.begin() ? *after : *std::prev(after);
}

void History::feed(Simulation& simulation) const {
  const std::int64_t step = simulation.now().step;
  // No event is due earlier: late events are stored with the step at which they arrived.
  const std::int64_t applied = step == 0 ? -1 : step;
  for (auto arrival = first_after(arrivals_, applied); arrival != arrivals_.end() && arrival->step <= step + 1;
       ++arrival) {
    (void)simulation.post(arrival->event);
  }
  for (std::size_t i = 0; i < inputs_.size() && i < simulation.connections().size(); ++i) {
    const auto input = first_after(inputs_[i], step - 1);
    if (input == inputs_[i].end() || input->step != step) continue;
    ConnectionInput fed = *input;
    fed.values.resize(simulation.connections()[i].device->writes().size());
    simulation.connections()[i].device->feed(fed);
  }
}

}  // namespace lockstep::serve
