#pragma once

#include <atomic>
#include <csignal>

namespace lockstep {

inline std::atomic<bool> interrupted = false;  ///< Ctrl-C was pressed during the lifetime of an InterruptGuard
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

/// During its lifetime, Ctrl-C ends the run in an orderly way; a second Ctrl-C kills the process.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = false;
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_interrupt_ = {};
  struct sigaction old_terminate_ = {};
};

}  // namespace lockstep
