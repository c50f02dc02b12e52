#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/error.h"

namespace lockstep {

/// The calling process runs on this core alone from now on; on any if there is none.
inline void stay_on(std::optional<int> core) {
  if (!core) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(*core), &set);
  sched_setaffinity(0, sizeof(set), &set);
}

/// A copy of this process that runs one function on a core of its own choice, and ends with it or with its
/// parent. To be made while the process has no other threads.
class ForkedChild {
 public:
  template <typename Function>
  ForkedChild(std::optional<int> core, Function function) {
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw_user_error({"bench", 0, 0}, "cannot start a second process");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    stay_on(core);
    function();
    _exit(0);
  }
  ~ForkedChild() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

 private:
  pid_t pid_;
};

}  // namespace lockstep
