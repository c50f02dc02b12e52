#pragma once

#include <cstdint>

#include "connection/connection_timing.h"

namespace lockstep {

/// Whether the controller is silent: in lock step after the first exchange without an answer, in real time
/// after `timeout` of simulated time without an answer.
///
///     heard ── no answer, and is_due() ──► silent ── an answer ──► heard
class SilenceWatch {
 public:
  SilenceWatch(const ConnectionTiming& timing, Duration step)
      : mode_(timing.mode), timeout_(timing.timeout), step_(step) {}

  /// Whether an unanswered exchange at `now` means silence.
  bool is_due(std::int64_t now) const;
  void note_answer(std::int64_t now);
  /// Notes an exchange without an answer. True if silence begins with it.
  bool note_none(std::int64_t now);

  bool is_silent() const { return is_silent_; }
  std::int64_t quiet_since() const {
    return quiet_since_;
  }  ///< step of the last answer, else of the first exchange
  std::int64_t last_answered() const { return last_answered_; }  ///< step; -1 if never

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  ConnectionMode mode_;
  Duration timeout_;
  Duration step_;
  bool is_silent_ = false;
  std::int64_t quiet_since_ = -1;  // step of the last answer, else of the first exchange
  std::int64_t last_answered_ = -1;
};

}  // namespace lockstep
