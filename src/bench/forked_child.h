#pragma once

#include <optional>

#include "base/child_process.h"
#include "base/cores.h"
#include "lockstep/error.h"

namespace lockstep {

/// A forked process that runs one function on a given core, and ends with it or with its parent. Create it
/// while the process has no other threads.
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
