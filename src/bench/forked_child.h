#pragma once

#include <sched.h>

#include <optional>

#include "base/child_process.h"
#include "lockstep/error.h"

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
  ForkedChild(std::optional<int> core, Function function)
      : process_(ChildProcess::fork([&] {
          stay_on(core);
          function();
          return 0;
        })) {
    if (!process_) throw_user_error({"bench", 0, 0}, "cannot start a second process: {}", process_.error());
  }

 private:
  Result<ChildProcess> process_;
};

}  // namespace lockstep
