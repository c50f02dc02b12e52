#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/error.h"

/// Starts child processes, waits for them and ends them.
namespace lockstep {

/// How a process ended: with an exit code, or by a signal.
struct ProcessEnd {
  std::optional<int> exit_code;
  int signal = 0;  ///< if there is no exit code

  bool is_success() const { return exit_code == 0; }
};

/// "exit code 0", "signal 15"
std::string to_string(const ProcessEnd& end);

/// Resource limits of a process; 0 means unlimited.
struct ProcessLimits {
  unsigned seconds = 0;      ///< real time, then SIGALRM
  unsigned cpu_seconds = 0;  ///< then SIGKILL
  std::uint64_t memory =
      0;  ///< bytes of address space; then allocations fail. Ignored in builds with sanitizers.
};

/// Sets the limits of the calling process and disables core files. Safe after fork() in a process that had
/// threads.
void set_limits(const ProcessLimits& limits);

/// A child process. The destructor kills and reaps it if it is still running.
class ChildProcess {
 public:
  struct Program {
    std::vector<std::string> arguments;  ///< the first is the program, looked for in PATH
    std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to ours
    int input = -1;  ///< descriptor of its stdin; -1 for empty input
    int output = 2;  ///< descriptor of its stdout; default our stderr, as our stdout may be data
    int errors = 2;
  };

  /// Starts a program in its own process group: Ctrl-C in our terminal does not reach it.
  static Result<ChildProcess> start(const Program& program);

  /// Forks this process: the child runs `body`, exits with its return value, and dies with its parent. If this
  /// process has other threads, `body` may only call async-signal-safe functions.
  static Result<ChildProcess> fork(const std::function<int()>& body);

  ChildProcess(ChildProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), group_(std::exchange(other.group_, 0)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  /// Waits until it ends. Call only once.
  ProcessEnd wait();

  /// The same with a timeout.
  std::optional<ProcessEnd> wait_for(std::chrono::milliseconds time);

  /// Sends a signal to the process alone, if it was not waited for.
  void send_signal(int signal) const;

  /// Whether the process group that start() made still has a process.
  bool is_group_alive() const;

  /// Sends a signal to the process group that start() made; also after the process itself has ended.
  void send_signal_to_group(int signal) const;

 private:
  ChildProcess(pid_t pid, pid_t group) : pid_(pid), group_(group) {}

  pid_t pid_;    // 0: already waited for
  pid_t group_;  // 0: the group of this process
};

}  // namespace lockstep
