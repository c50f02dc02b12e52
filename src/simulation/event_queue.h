#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "simulation/event.h"

namespace lockstep {

/// Events waiting for their step. post() may be called from any thread at any time; all other functions only
/// from the thread that steps the simulation.
class EventQueue {
 public:
  EventQueue(const Model& model, const SignalTable& signals, std::size_t fault_count)
      : model_(&model), signals_(&signals), fault_count_(fault_count) {}

  /// Queues an event. Rejects an invalid event (unknown id, NaN, not a command signal), and any if too many
  /// wait.
  Result<void> post(const Event& event);

  /// As post(), for the stepping thread only: the event is part of the state at once.
  Result<void> schedule(const Event& event);

  /// Whether take_due() might return any. Costs one atomic load.
  bool may_have_due(std::int64_t step) const {
    return has_posted_.load(std::memory_order_acquire) || (!waiting_.empty() && waiting_.back().step <= step);
  }
  /// Removes the events due before `step`, in the order of application. Valid until the next call.
  const std::vector<Event>& take_due(std::int64_t step);

  /// From now on stores posted events for take_arrivals(). With the scenario and the inputs of connections they
  /// are enough to repeat a run.
  void keep_arrivals() { keeps_arrivals_ = true; }

  /// The events posted since the last call, in order.
  std::vector<Arrival> take_arrivals() { return std::exchange(arrivals_, {}); }

  /// Drops events that were posted but not yet seen by the stepping thread.
  void drop_posted();

  /// Waiting events are part of the state; posted events that the stepping thread has not seen yet are not.
  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

  static constexpr std::size_t kMaxWaiting = 100'000;

 private:
  Result<void> check(const Event& event) const;
  Result<void> check(const Pull& pull) const;
  Result<void> check(const SetJoint& set) const;
  void sort_in(const Event& event);

  const Model* model_;
  const SignalTable* signals_;
  std::size_t fault_count_;
  std::vector<Event> waiting_;  // by step, then priority, then arrival; the next one at the back
  std::vector<Event> due_;
  bool keeps_arrivals_ = false;
  std::vector<Arrival> arrivals_;

  std::mutex mutex_;
  std::vector<Event> posted_;  // guarded by mutex_
  std::atomic<bool> has_posted_ = false;
};

}  // namespace lockstep
