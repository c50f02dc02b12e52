#pragma once

#include <functional>
#include <string>

namespace lockstep {

/// Runs a command that reads an untrusted file in a child process with limits on memory and time, and returns
/// its exit code. If it crashes, hangs or exceeds a limit, prints one error about `file` and returns the exit
/// code for wrong input. Call it while the process has no other threads.
int run_limited(const std::string& file, const std::function<int()>& command);

}  // namespace lockstep
