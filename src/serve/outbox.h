#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serve/command.h"

namespace lockstep::serve {

/// Outgoing messages of a session, until the server takes them. A new status replaces the previous one.
class Outbox {
 public:
  /// `wake` notifies the server; called from any thread.
  explicit Outbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Drops pushes beyond kMaxWaiting (the server has been blocked for long then); answers and scenes are kept.
  void push(Message message) {
    {
      const std::scoped_lock lock(mutex_);
      const bool may_be_dropped = !message.is_answer && !message.scene;
      if (may_be_dropped && messages_.size() >= kMaxWaiting) return;
      messages_.push_back(std::move(message));
    }
    wake();
  }
  /// Sends a warning to all viewers.
  void warn(const std::string& text) { push({.json = {{"push", "warning"}, {"text", text}}}); }

  void set_status(std::string status) {
    {
      const std::scoped_lock lock(mutex_);
      status_ = std::move(status);
    }
    wake();
  }
  void wake() const {
    if (wake_) wake_();
  }

  struct Content {
    std::vector<Message> messages;
    std::string status;  ///< JSON; empty: unchanged
  };
  Content take() {
    const std::scoped_lock lock(mutex_);
    return {std::exchange(messages_, {}), std::exchange(status_, {})};
  }

  static constexpr std::size_t kMaxWaiting = 1000;

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  std::vector<Message> messages_;
  std::string status_;
};

}  // namespace lockstep::serve
