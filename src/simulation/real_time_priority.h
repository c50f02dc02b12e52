#pragma once

namespace lockstep {

/// While it lives, the calling thread goes before everything that is not of real time (SCHED_FIFO) and all
/// memory stays where it is (mlockall), as far as the system permits; what it does not, is said on stderr in
/// one line. Processes that are started meanwhile do not inherit it.
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
