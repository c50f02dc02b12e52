#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "connection/connection.h"

namespace lockstep {

/// What is worth telling about a connection: who connected, what was rejected and why, when it became silent and
/// returned. Keeps the last kMaxKept events, and passes each to a listener. Depends on the wall clock; not part of
/// the state.
class ConnectionNotes {
 public:
  static constexpr std::size_t kMaxKept = 32;

  void begin_exchange(const Instant& now) {
    now_ = now;
    has_bad_ = false;
  }
  void note(ConnectionEventKind kind, std::string_view text);
  /// A bad message. Only the first of an exchange is noted: a flood must not cost more than counting it.
  void note_bad(std::string_view reason);
  void set_controller(std::string_view name) { controller_ = name; }
  void set_listener(ConnectionListener listener) { listener_ = std::move(listener); }

  const std::string& controller() const { return controller_; }  ///< its name; empty if none has connected
  const std::string& problem() const { return problem_; }        ///< the last rejection or bad message
  std::vector<ConnectionEvent> events() const { return {events_.begin(), events_.end()}; }

 private:
  Instant now_{};
  bool has_bad_ = false;
  std::string controller_;
  std::string problem_;
  std::deque<ConnectionEvent> events_;
  ConnectionListener listener_;
};

}  // namespace lockstep
