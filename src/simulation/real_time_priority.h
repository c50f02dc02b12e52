#pragma once

namespace lockstep {

/// RAII: gives the calling thread real-time priority (SCHED_FIFO) and locks all memory (mlockall), as far as
/// the system permits; otherwise prints one line to stderr. Child processes do not inherit it.
class RealTimePriority {
 public:
  RealTimePriority();
  ~RealTimePriority();
  RealTimePriority(const RealTimePriority&) = delete;
  RealTimePriority& operator=(const RealTimePriority&) = delete;

  bool is_first() const { return is_first_; }

 private:
  bool is_first_ = false;
  bool is_locked_ = false;
};

}  // namespace lockstep
