#include "simulation/event_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// Limit for the position of a joint without limits, rad or m.
constexpr double kFarthest = 1e6;

template <typename Id>
bool is_known(Id id, std::size_t count) {
  return static_cast<std::int64_t>(id) >= 0 && static_cast<std::size_t>(id) < count;
}

}  // namespace

Result<void> EventQueue::check(const Event& event) const {
  if (const auto* set = std::get_if<SetSignal>(&event.action)) {
    if (!is_known(set->slot, signals_->size())) return Failure{"unknown signal"};
    const SignalInfo& info = signals_->info(set->slot);
    if (info.role != SignalRole::kCommand) {
      return Failure{fmt::format("signal '{}' is measured; only command signals can be set", info.name)};
    }
    if (!std::isfinite(set->value))
      return Failure{fmt::format("signal '{}': the value is not a finite number", info.name)};
  } else if (const auto* hold = std::get_if<SetAttached>(&event.action)) {
    if (!is_known(hold->joint, model_->joints.size())) return Failure{"unknown joint"};
    const JointModel& joint = model_->joint(hold->joint);
    if (!joint.detachable) return Failure{fmt::format("joint '{}' is not detachable", joint.name)};
  } else if (const auto* push = std::get_if<Push>(&event.action)) {
    if (!is_known(push->body, model_->bodies.size())) return Failure{"unknown body"};
    if (!push->wrench.force.allFinite() || !push->wrench.torque.allFinite()) {
      return Failure{"a force or torque is not a finite number"};
    }
    if (push->steps < 1) return Failure{"a push must last at least one step"};
  } else if (const auto* fault = std::get_if<SetFault>(&event.action)) {
    if (!is_known(fault->fault, fault_count_)) return Failure{"unknown fault"};
    if (fault->steps < 0) return Failure{"a fault must last 0 or more steps"};
  } else if (const auto* pull = std::get_if<Pull>(&event.action)) {
    return check(*pull);
  } else if (const auto* joint = std::get_if<SetJoint>(&event.action)) {
    return check(*joint);
  }
  return {};
}

Result<void> EventQueue::check(const Pull& pull) const {
  if (!is_known(pull.body, model_->bodies.size())) return Failure{"unknown body"};
  const std::string& name = model_->body(pull.body).name;
  if (!model_->can_move(pull.body))
    return Failure{fmt::format("body '{}' is fixed; it cannot be pulled", name)};
  const bool is_finite = pull.point.allFinite() && pull.target.allFinite() && std::isfinite(pull.stiffness) &&
                         std::isfinite(pull.damping);
  if (!is_finite) return Failure{fmt::format("body '{}': the pull has a number that is not finite", name)};
  if (pull.stiffness < 0.0 || pull.damping < 0.0) {
    return Failure{fmt::format("body '{}': stiffness and damping of a pull must be 0 or more", name)};
  }
  return {};
}

Result<void> EventQueue::check(const SetJoint& set) const {
  if (!is_known(set.joint, model_->joints.size())) return Failure{"unknown joint"};
  const JointModel& joint = model_->joint(set.joint);
  if ((joint.type != JointType::kHinge && joint.type != JointType::kSlide) || joint.detachable) {
    return Failure{fmt::format("joint '{}' cannot be moved; expected a hinge or slide that is not detachable",
                               joint.name)};
  }
  if (joint.driven) return Failure{fmt::format("joint '{}' is driven; it cannot be moved", joint.name)};
  if (!std::isfinite(set.position))
    return Failure{fmt::format("joint '{}': the position is not a finite number", joint.name)};
  if (set.position < joint.lower.value_or(-kFarthest) || set.position > joint.upper.value_or(kFarthest)) {
    return Failure{fmt::format("joint '{}': position {} is out of its range, {} to {}", joint.name,
                               set.position, joint.lower.value_or(-kFarthest),
                               joint.upper.value_or(kFarthest))};
  }
  return {};
}

Result<void> EventQueue::post(const Event& event) {
  if (const Result<void> checked = check(event); !checked) return checked;
  const std::scoped_lock lock(mutex_);
  if (posted_.size() >= kMaxWaiting) return Failure{"too many events are waiting"};
  posted_.push_back(event);
  has_posted_.store(true, std::memory_order_release);
  return {};
}

Result<void> EventQueue::schedule(const Event& event) {
  const Result<void> checked = check(event);
  if (checked) sort_in(event);
  return checked;
}

void EventQueue::sort_in(const Event& event) {
  // The next event is at the back, so insert a new one before all that are due at the same time or earlier.
  const auto is_after = [](const Event& waiting, const Event& added) {
    if (waiting.step != added.step) return waiting.step > added.step;
    return waiting.priority < added.priority;
  };
  waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), event, is_after), event);
}

const std::vector<Event>& EventQueue::take_due(std::int64_t step) {
  due_.clear();
  if (has_posted_.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(mutex_);
    has_posted_.store(false, std::memory_order_relaxed);
    for (Event& event : posted_) {
      // A late event is applied in this step, sorted by priority with those that are in time.
      event.step = std::max(event.step, step);
      sort_in(event);
      if (keeps_arrivals_) arrivals_.push_back({step, event});
    }
    posted_.clear();
  }
  while (!waiting_.empty() && waiting_.back().step <= step) {
    due_.push_back(waiting_.back());
    waiting_.pop_back();
  }
  return due_;
}

void EventQueue::drop_posted() {
  const std::scoped_lock lock(mutex_);
  posted_.clear();
  has_posted_.store(false, std::memory_order_relaxed);
}

void EventQueue::save(StateWriter& writer) const {
  writer.write(static_cast<std::uint64_t>(waiting_.size()));
  for (const Event& event : waiting_) write_event(writer, event);
}

void EventQueue::restore(StateReader& reader) {
  const auto count = reader.read<std::uint64_t>();
  if (count > kMaxWaiting) throw StateError("too many events are waiting");
  std::vector<Event> restored;
  for (std::uint64_t i = 0; i < count; ++i) {
    restored.push_back(read_event(reader));
    const Result<void> checked = check(restored.back());
    if (!checked) throw StateError("invalid waiting event: " + checked.error());
  }
  const auto runs_later = [](const Event& a, const Event& b) { return a.step > b.step; };
  if (!std::is_sorted(restored.begin(), restored.end(), runs_later))
    throw StateError("waiting events are out of order");
  waiting_ = std::move(restored);
}

}  // namespace lockstep
