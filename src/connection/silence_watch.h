#pragma once

#include <cstdint>

#include "connection/connection_timing.h"

namespace lockstep {

/// Whether the other side is silent: in lock step as soon as an exchange has no answer, in real time once none
/// has come for the timeout, in simulated time.
///
///     heard ── no answer, and is_due() ──► silent ── an answer ──► heard
class SilenceWatch {
 public:
  SilenceWatch(const ConnectionTiming& timing, Duration step)
      : mode_(timing.mode), timeout_(timing.timeout), step_(step) {}

  /// Whether an exchange at `now` that has no answer means silence.
  bool is_due(std::int64_t now) const;
  void note_answer(std::int64_t now);
  /// An exchange without one. True if silence begins with it.
  bool note_none(std::int64_t now);

  bool is_silent() const { return is_silent_; }
  std::int64_t last_answered() const { return last_answered_; }  ///< step; -1 if never

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  ConnectionMode mode_;
  Duration timeout_;
  Duration step_;
  bool is_silent_ = false;
  std::int64_t quiet_since_ = -1;  // step of the last answer or else of the first exchange
  std::int64_t last_answered_ = -1;
};

}  // namespace lockstep
