#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "lockstep/signals.h"
#include "lockstep/time.h"

namespace lockstep::serve {

/// Time between two rows for viewers: a millisecond or a step, whichever is longer.
inline Duration row_period(Duration step) {
  return step * std::max<std::int64_t>(1, std::chrono::milliseconds(1) / step);
}

/// What viewers see of one instant, and the signal rows since the previous state.
struct ViewState {
  std::uint32_t scene = 0;
  std::uint64_t watch = 0;  ///< number of the Watch that it was made for
  std::int64_t step = 0;
  double time = 0.0;                                 ///< s
  bool is_past = false;                              ///< the run is known beyond this instant
  std::vector<float> poses;                          ///< per body: position, quaternion w x y z
  std::vector<float> joints;                         ///< per joint: rad of a hinge, m of a slide, else 0
  std::vector<float> contacts;                       ///< per contact: position, force on the second shape
  std::vector<float> rays;                           ///< per ray: start, end
  std::shared_ptr<const std::vector<Slot>> signals;  ///< columns of the rows, after the time
  std::vector<double> rows;
  bool has_lost_rows = false;  ///< before these

  std::size_t row_width() const { return 1 + (signals ? signals->size() : 0); }
  void drop_rows() {
    has_lost_rows |= !rows.empty();
    rows.clear();
  }
};

/// Passes the latest state from the session thread to the server thread. Neither waits for the other's work:
/// the lock is held for a swap of pointers and at most a copy of rows, and the session thread only tries to
/// lock. States that were not taken are replaced; their rows are collected up to kMaxRowBytes.
class StateSlot {
 public:
  static constexpr std::size_t kMaxRowBytes = 1 << 20;

  /// Swaps `state` with an old one, whose memory is reused. False if the other thread holds the lock.
  bool try_publish(ViewState& state) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    if (is_fresh_) keep_rows(state);
    std::swap(state_, state);
    state.rows.clear();
    state.has_lost_rows = false;
    is_fresh_ = true;
    return true;
  }

  /// Swaps the latest state into `into`. False if there is none since the last call.
  bool take(ViewState& into) {
    const std::scoped_lock lock(mutex_);
    if (!is_fresh_) return false;
    std::swap(state_, into);
    is_fresh_ = false;
    return true;
  }

 private:
  /// Prepends the rows of the state that is being replaced.
  void keep_rows(ViewState& state) {
    const bool fit = state_.scene == state.scene && state_.signals == state.signals &&
                     (state_.rows.size() + state.rows.size()) * sizeof(double) <= kMaxRowBytes;
    if (!fit) {
      state.has_lost_rows |= !state_.rows.empty() || state_.has_lost_rows;
      return;
    }
    state_.rows.insert(state_.rows.end(), state.rows.begin(), state.rows.end());
    std::swap(state_.rows, state.rows);
    state.has_lost_rows |= state_.has_lost_rows;
  }

  std::mutex mutex_;
  ViewState state_;
  bool is_fresh_ = false;
};

}  // namespace lockstep::serve
