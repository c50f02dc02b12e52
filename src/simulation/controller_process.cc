#include "simulation/controller_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.h"

namespace lockstep {
namespace {

/// What a controller gets to end in, each time it is asked.
constexpr auto kMoment = std::chrono::seconds(2);

}  // namespace

ControllerProcess::ControllerProcess(std::string command,
                                     const std::vector<std::pair<std::string, std::string>>& environment)
    : command_(std::move(command)) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  for (const auto& [name, value] : environment) {
    const std::string start = name + "=";
    std::erase_if(variables, [&](const std::string& each) { return each.starts_with(start); });
    variables.push_back(start + value);
  }
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  std::string shell = "/bin/sh", option = "-c";
  char* const arguments[] = {shell.data(), option.data(), command_.data(), nullptr};

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = posix_spawn(&pid_, shell.c_str(), &files, &attributes, arguments, pointers.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    pid_ = 0;
    throw_user_error({"--controller", 0, 0}, "'{}' cannot be started: {}", command_, std::strerror(error));
  }
}

bool ControllerProcess::reap() {
  if (!is_reaped_) is_reaped_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return is_reaped_;
}

bool ControllerProcess::has_ended() {
  if (pid_ == 0) return true;
  const bool is_gone = reap() && kill(-pid_, 0) != 0 && errno == ESRCH;
  if (is_gone) pid_ = 0;
  return is_gone;
}

bool ControllerProcess::wait_a_moment() {
  const auto deadline = std::chrono::steady_clock::now() + kMoment;
  while (std::chrono::steady_clock::now() < deadline) {
    if (reap()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void ControllerProcess::end() {
  if (pid_ == 0) return;
  if (!wait_a_moment()) {
    kill(-pid_, SIGTERM);
    wait_a_moment();
  }
  // Also what the command started and left behind.
  kill(-pid_, SIGKILL);
  if (!is_reaped_) waitpid(pid_, &status_, 0);
  is_reaped_ = true;
  pid_ = 0;
}

std::optional<int> ControllerProcess::exit_code() const {
  return WIFEXITED(status_) ? std::optional(WEXITSTATUS(status_)) : std::nullopt;
}

std::string ControllerProcess::result() const {
  const std::optional<int> code = exit_code();
  return code ? fmt::format("exit code {}", *code) : fmt::format("signal {}", WTERMSIG(status_));
}

}  // namespace lockstep
