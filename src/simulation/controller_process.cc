#include "simulation/controller_process.h"

#include <signal.h>

#include "lockstep/error.h"

namespace lockstep {
namespace {

/// Time for a controller to end, each time it is asked to.
constexpr auto kMoment = std::chrono::seconds(2);

}  // namespace

ControllerProcess::ControllerProcess(std::string command,
                                     const std::vector<std::pair<std::string, std::string>>& environment)
    : command_(std::move(command)) {
  Result<ChildProcess> started =
      ChildProcess::start({.arguments = {"/bin/sh", "-c", command_}, .environment = environment});
  if (!started) {
    throw_user_error({"--controller", 0, 0}, "cannot start '{}': {}", command_, started.error());
  }
  process_.emplace(*std::move(started));
}

bool ControllerProcess::has_ended() {
  if (!process_) return true;
  if (!ended_) ended_ = process_->wait_for(std::chrono::milliseconds(0));
  if (!ended_ || process_->is_group_alive()) return false;
  end_ = *ended_;
  process_.reset();
  return true;
}

void ControllerProcess::end() {
  if (!process_) return;
  if (!ended_) ended_ = process_->wait_for(kMoment);
  if (!ended_) {
    process_->send_signal_to_group(SIGTERM);
    ended_ = process_->wait_for(kMoment);
  }
  // Also the processes that the command started and left behind.
  process_->send_signal_to_group(SIGKILL);
  end_ = ended_ ? *ended_ : process_->wait();
  process_.reset();
}

}  // namespace lockstep
