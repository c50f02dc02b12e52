#pragma once

#include <cstdint>

#include "connection/connection.h"
#include "connection/transport.h"

namespace lockstep {

/// Which questions were asked since HELLO, which of them were answered, and what got lost. Numbers begin again
/// after the last one, so two of them are compared by how far one is ahead.
///
///                    ask()                  answer to the last question
///     begun ───────────────────► owing ───────────────────────────────────► answered
///       ▲                        │  ▲ ▲                                         │
///       │                        └──┘ └──────────────── ask() ──────────────────┘
///       │           resend(), or in real time ask()
///       └── begin() from anywhere: a HELLO came, or the connection is gone
///
/// A conversation that owes an answer for the timeout is silent: another controller may take its place.
class Conversation {
 public:
  Conversation(ConnectionMode mode, Duration timeout) : mode_(mode), timeout_(timeout) {}

  void begin() { has_asked_ = has_answer_ = is_owing_ = false; }

  /// A question goes out for the first time, or again after the timeout.
  void ask(std::uint32_t sequence, ConnectionDeadline now);
  /// The last question goes out once more.
  void resend() { ++resends_; }
  /// When to do that; never if it was done often enough.
  ConnectionDeadline resend_at() const;

  bool is_owing() const { return is_owing_; }  ///< the last question has not been answered
  bool is_asked(std::uint32_t sequence) const { return is_owing_ && last_asked_ == sequence; }
  std::uint32_t last_asked() const { return last_asked_; }
  ConnectionDeadline asked_at() const { return asked_at_; }
  bool has_answer() const { return has_answer_; }  ///< to any question
  bool has_newest_answer(std::uint32_t sequence) const { return has_answer_ && newest_answer_ == sequence; }
  bool is_silent(ConnectionDeadline now) const { return is_owing_ && now - owing_since_ >= timeout_; }

  enum class Verdict {
    kAwaited,  ///< answers something that has not been answered
    kKnown,    ///< what it answers was answered, or in lock step is over
    kEarly,    ///< nothing with this number was asked
  };
  Verdict judge(std::uint32_t sequence) const;

  /// An awaited answer. Returns how many questions before it stay without one: in real time none is asked
  /// again.
  std::int64_t take_answer(std::uint32_t sequence, ConnectionDeadline now);

 private:
  std::uint32_t last_settled() const { return has_answer_ ? newest_answer_ : first_asked_ - 1; }

  ConnectionMode mode_;
  Duration timeout_;
  bool has_asked_ = false;
  std::uint32_t first_asked_ = 0;
  std::uint32_t last_asked_ = 0;
  ConnectionDeadline asked_at_{};  // the last one, for the first time
  int resends_ = 0;                // of the last one
  bool is_owing_ = false;
  ConnectionDeadline owing_since_{};  // or since it last gave a sign of life
  bool has_answer_ = false;
  std::uint32_t newest_answer_ = 0;
};

}  // namespace lockstep
