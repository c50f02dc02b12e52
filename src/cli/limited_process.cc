#include "cli/limited_process.h"

#include <signal.h>

#include <cstdio>
#include <new>

#include "base/child_process.h"
#include "cli/exit_code.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr ProcessLimits kLimits{.seconds = 600, .memory = std::uint64_t{8} << 30};

int tell(const std::string& file, const std::string& text) {
  fmt::print(stderr, "{}: error: {}\n", file, text);
  return kExitUser;
}

}  // namespace

int run_limited(const std::string& file, const std::function<int()>& command) {
  std::fflush(nullptr);
  Result<ChildProcess> child = ChildProcess::fork([&] {
    set_limits(kLimits);
    int code = kExitUser;
    try {
      code = command();
    } catch (const UserError& error) {
      std::fputs(error.what(), stderr);
    } catch (const std::bad_alloc&) {
      tell(file, fmt::format("reading it takes more than {} GB; it is damaged or far too large",
                             kLimits.memory >> 30));
    }
    std::fflush(nullptr);
    return code;
  });
  if (!child) return tell(file, "cannot start a process to read it");
  const ProcessEnd end = child->wait();
  if (end.exit_code) return *end.exit_code;
  // Terminated from outside: the file is not the reason.
  if (end.signal == SIGINT || end.signal == SIGTERM || end.signal == SIGPIPE) {
    signal(end.signal, SIG_DFL);
    raise(end.signal);
  }
  if (end.signal == SIGALRM)
    return tell(file, fmt::format("reading it takes longer than {} s; it is damaged or far too detailed",
                                  kLimits.seconds));
  return tell(file, "the file is damaged: the process that reads it crashed");
}

}  // namespace lockstep
