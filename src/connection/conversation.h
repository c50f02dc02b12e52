#pragma once

#include <cstdint>

#include "connection/connection.h"
#include "connection/transport.h"

namespace lockstep {

/// Tracks which requests (MEASUREMENT) were sent since HELLO, which were answered (COMMAND), and which were
/// lost. Sequence numbers wrap around, so they are compared by their signed distance.
///
///                    ask()                  answer to the last request
///     begun ───────────────────► owing ───────────────────────────────────► answered
///       ▲                        │  ▲ ▲                                         │
///       │                        └──┘ └──────────────── ask() ──────────────────┘
///       │           resend(), or in real time ask()
///       └── begin() from anywhere: a HELLO came, or the connection is gone
///
/// A controller that owes an answer for the timeout is silent: another controller may take its place.
class Conversation {
 public:
  Conversation(ConnectionMode mode, Duration timeout) : mode_(mode), timeout_(timeout) {}

  void begin() { has_asked_ = has_answer_ = is_owing_ = false; }

  /// A request is sent for the first time, or again after the timeout.
  void ask(std::uint32_t sequence, ConnectionDeadline now);
  /// The last request is sent once more.
  void resend() { ++resends_; }
  /// When to resend; never after the last retry.
  ConnectionDeadline resend_at() const;

  bool is_owing() const { return is_owing_; }  ///< the last request has not been answered
  bool is_asked(std::uint32_t sequence) const { return is_owing_ && last_asked_ == sequence; }
  std::uint32_t last_asked() const { return last_asked_; }
  ConnectionDeadline asked_at() const { return asked_at_; }
  bool has_answer() const { return has_answer_; }  ///< to any request
  bool has_newest_answer(std::uint32_t sequence) const { return has_answer_ && newest_answer_ == sequence; }
  bool is_silent(ConnectionDeadline now) const { return has_owed(now, timeout_); }
  /// Whether an answer has been owed for this long.
  bool has_owed(ConnectionDeadline now, Duration time) const { return is_owing_ && now - owing_since_ >= time; }
  /// The last request was not sent, so that no answer can be expected yet.
  void excuse(ConnectionDeadline now) { owing_since_ = now; }

  enum class Verdict {
    kAwaited,  ///< answers an open request
    kKnown,    ///< its request was already answered, or in lock step is over
    kEarly,    ///< no request with this number was sent
  };
  Verdict judge(std::uint32_t sequence) const;

  /// Takes an awaited answer. Returns the number of earlier requests that stay unanswered: in real time no
  /// request is resent.
  std::int64_t take_answer(std::uint32_t sequence, ConnectionDeadline now);

 private:
  std::uint32_t last_settled() const { return has_answer_ ? newest_answer_ : first_asked_ - 1; }

  ConnectionMode mode_;
  Duration timeout_;
  bool has_asked_ = false;
  std::uint32_t first_asked_ = 0;
  std::uint32_t last_asked_ = 0;
  ConnectionDeadline asked_at_{};  // when the last request was first sent
  int resends_ = 0;                // of the last request
  bool is_owing_ = false;
  ConnectionDeadline owing_since_{};  // or since its last sign of life
  bool has_answer_ = false;
  std::uint32_t newest_answer_ = 0;
};

}  // namespace lockstep
