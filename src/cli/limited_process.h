#pragma once

#include <functional>
#include <string>

namespace lockstep {

/// Runs a command that reads a file of others in a copy of this process with limits on its memory and time, and
/// returns its exit code. If it crashes, hangs or takes too much, that is one sentence about `file`, and the
/// exit code of a wrong input. To be called while the process has no other threads.
int run_limited(const std::string& file, const std::function<int()>& command);

}  // namespace lockstep
