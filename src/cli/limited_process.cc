#include "cli/limited_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "base/error.h"
#include "cli/exit_code.h"

namespace lockstep {
namespace {

constexpr unsigned kMaxSeconds = 600;
constexpr rlim_t kMaxMemory = rlim_t{8} << 30;

// Sanitizers reserve terabytes of addresses for themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

void set_limits() {
  const rlimit core{0, 0}, memory{kMaxMemory, kMaxMemory};
  setrlimit(RLIMIT_CORE, &core);
  if (kLimitsMemory) setrlimit(RLIMIT_AS, &memory);
  signal(SIGALRM, SIG_DFL);
  alarm(kMaxSeconds);
}

int tell(const std::string& file, const std::string& text) {
  fmt::print(stderr, "{}: error: {}\n", file, text);
  return kExitUser;
}

}  // namespace

int run_limited(const std::string& file, const std::function<int()>& command) {
  std::fflush(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child < 0) return tell(file, "no process can be started to read it");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kExitUser);
    set_limits();
    int code = kExitUser;
    try {
      code = command();
    } catch (const UserError& error) {
      std::fputs(error.what(), stderr);
    } catch (const std::bad_alloc&) {
      tell(file,
           fmt::format("reading it takes more than {} GB; it is damaged or far too large", kMaxMemory >> 30));
    }
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  // Asked to end by somebody: that is not the file's fault.
  const int ended_by = WTERMSIG(status);
  if (ended_by == SIGINT || ended_by == SIGTERM || ended_by == SIGPIPE) {
    signal(ended_by, SIG_DFL);
    raise(ended_by);
  }
  if (ended_by == SIGALRM)
    return tell(
        file, fmt::format("reading it takes longer than {} s; it is damaged or far too detailed", kMaxSeconds));
  return tell(file, "it is damaged: reading it ended in a crash of the reading process");
}

}  // namespace lockstep
