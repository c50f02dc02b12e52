#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/child_process.h"

namespace lockstep {

/// A controller started by Lockstep: a shell command in its own process group. Its stdin is empty and its
/// output goes to stderr, so that the summary of the run stays readable.
class ControllerProcess {
 public:
  /// `environment` is added to that of this process. Throws UserError if it cannot be started.
  ControllerProcess(std::string command, const std::vector<std::pair<std::string, std::string>>& environment);
  ControllerProcess(const ControllerProcess&) = delete;
  ControllerProcess& operator=(const ControllerProcess&) = delete;
  ~ControllerProcess() { end(); }

  /// Waits briefly for it to end, then sends SIGTERM, then SIGKILL. A second call does nothing.
  void end();

  /// Whether it has ended by itself, with all processes of its group.
  bool has_ended();

  const std::string& command() const { return command_; }

  /// "exit code 0", "signal 15"; once it has ended.
  std::string result() const { return to_string(end_); }
  std::optional<int> exit_code() const { return end_.exit_code; }  ///< none if a signal ended it

 private:
  std::string command_;
  std::optional<ChildProcess> process_;  // empty after it and its process group have ended
  std::optional<ProcessEnd> ended_;      // how the shell has ended, while a child of it still runs
  ProcessEnd end_{.exit_code = 0};
};

}  // namespace lockstep
