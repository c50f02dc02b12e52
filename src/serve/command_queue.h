#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "serve/command.h"

namespace lockstep::serve {

/// Queue of commands from viewers to the session thread. post() and quit() may be called from any thread, all
/// other functions only from the session thread.
class CommandQueue {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxWaiting = 1000;

  /// False if too many are waiting.
  bool post(Command command) {
    {
      const std::scoped_lock lock(mutex_);
      if (commands_.size() >= kMaxWaiting) return false;
      if (commands_.empty()) waiting_since_ = Clock::now();
      commands_.push_back(std::move(command));
      has_commands_.store(true, std::memory_order_release);
    }
    changed_.notify_all();
    return true;
  }

  void quit() {
    {
      const std::scoped_lock lock(mutex_);
      quit_ = true;
    }
    changed_.notify_all();
  }
  bool is_quitting() const { return quit_; }

  /// Pops the oldest command. Costs one atomic load if the queue is empty.
  std::optional<Command> take() {
    if (!has_commands()) return std::nullopt;
    const std::scoped_lock lock(mutex_);
    if (commands_.empty()) return std::nullopt;
    Command command = std::move(commands_.front());
    commands_.pop_front();
    waiting_since_ = Clock::now();
    if (commands_.empty()) has_commands_.store(false, std::memory_order_relaxed);
    return command;
  }

  /// Blocks until there is a command, until quit(), or until a time.
  void wait(std::optional<Clock::time_point> until) {
    std::unique_lock lock(mutex_);
    const auto is_over = [&] { return quit_ || !commands_.empty(); };
    if (until) {
      changed_.wait_until(lock, *until, is_over);
    } else {
      changed_.wait(lock, is_over);
    }
  }

  /// Whether a command of this type is waiting, or quit() was called.
  template <typename Kind>
  bool holds() const {
    if (quit_) return true;
    if (!has_commands()) return false;
    const std::scoped_lock lock(mutex_);
    return std::any_of(commands_.begin(), commands_.end(),
                       [](const Command& each) { return std::holds_alternative<Kind>(each.payload); });
  }

  /// Whether the oldest command has waited for longer than this, or quit() was called.
  bool has_waited(Clock::duration patience) const {
    if (quit_) return true;
    if (!has_commands()) return false;
    const std::scoped_lock lock(mutex_);
    return Clock::now() - waiting_since_ > patience;
  }

 private:
  bool has_commands() const { return has_commands_.load(std::memory_order_acquire); }

  mutable std::mutex mutex_;  // guards commands_ and waiting_since_
  std::condition_variable changed_;
  std::deque<Command> commands_;
  Clock::time_point waiting_since_{};  // of the first command
  std::atomic<bool> has_commands_ = false;
  std::atomic<bool> quit_ = false;
};

}  // namespace lockstep::serve
