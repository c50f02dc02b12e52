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

/// Other processes that this one starts, waits for and ends.
namespace lockstep {

/// How a process ended: by itself with a code, or by a signal.
struct ProcessEnd {
  std::optional<int> exit_code;
  int signal = 0;  ///< if there is no exit code

  bool is_success() const { return exit_code == 0; }
};

/// "exit code 0", "signal 15"
std::string to_string(const ProcessEnd& end);

/// What a process may take before the system ends it; 0 means any amount.
struct ProcessLimits {
  unsigned seconds = 0;      ///< real time, then SIGALRM
  unsigned cpu_seconds = 0;  ///< then SIGKILL
  std::uint64_t memory = 0;  ///< bytes of addresses; then allocations fail. Not in builds with sanitizers.
};

/// Sets the limits of the calling process, and that it leaves no core file. May be called in a fresh copy of a
/// process that had threads.
void set_limits(const ProcessLimits& limits);

/// A process of our own. It is killed and reaped when this object goes, at the latest.
class ChildProcess {
 public:
  struct Program {
    std::vector<std::string> arguments;  ///< the first is the program, looked for in PATH
    std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to ours
    int input = -1;  ///< descriptor that it reads; -1 for nothing to read
    int output = 2;  ///< descriptor of what it prints; ours for errors, as our output may be data
    int errors = 2;
  };

  /// Starts a program in a process group of its own: Ctrl-C in our terminal does not reach it.
  static Result<ChildProcess> start(const Program& program);

  /// Starts a copy of this process that runs `body`, exits with what it returns, and dies with its parent. If
  /// this process has other threads, `body` may only do what a signal handler may.
  static Result<ChildProcess> fork(const std::function<int()>& body);

  ChildProcess(ChildProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), group_(std::exchange(other.group_, 0)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  /// Waits until it ends. Once only.
  ProcessEnd wait();

  /// The same, if it ends in time.
  std::optional<ProcessEnd> wait_for(std::chrono::milliseconds time);

  /// Whether a process that start() made, or anything that it started and left behind, is still there.
  bool is_group_alive() const;

  /// To a process that start() made and to all that it started and left behind; also after it has ended.
  void send_signal_to_group(int signal) const;

 private:
  ChildProcess(pid_t pid, pid_t group) : pid_(pid), group_(group) {}

  pid_t pid_;    // 0: it was waited for
  pid_t group_;  // 0: that of this process
};

}  // namespace lockstep
