#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/child_process.h"

namespace lockstep {

/// A controller that Lockstep started: a command of the shell, in a process group of its own. It reads nothing
/// from the terminal, and what it prints goes to stderr, so that the summary of the run stays readable.
class ControllerProcess {
 public:
  /// `environment` is added to that of this process. Throws UserError if it cannot be started.
  ControllerProcess(std::string command, const std::vector<std::pair<std::string, std::string>>& environment);
  ControllerProcess(const ControllerProcess&) = delete;
  ControllerProcess& operator=(const ControllerProcess&) = delete;
  ~ControllerProcess() { end(); }

  /// Gives it a moment to end by itself, then asks it to (SIGTERM), then makes it (SIGKILL). A second call does
  /// nothing.
  void end();

  /// Whether it has ended by itself, with everything that it started and left behind in its process group.
  bool has_ended();

  const std::string& command() const { return command_; }

  /// "exit code 0", "signal 15"; once it has ended.
  std::string result() const { return to_string(end_); }
  std::optional<int> exit_code() const { return end_.exit_code; }  ///< none if a signal ended it

 private:
  std::string command_;
  std::optional<ChildProcess> process_;  // none: it has ended, and so has its process group
  std::optional<ProcessEnd> ended_;      // how the shell has ended, while something that it started goes on
  ProcessEnd end_{.exit_code = 0};
};

}  // namespace lockstep
