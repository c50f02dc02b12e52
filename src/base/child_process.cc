#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

namespace lockstep {
namespace {

// Sanitizers reserve terabytes of addresses for themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

ProcessEnd end_of(int status) {
  if (WIFEXITED(status)) return {.exit_code = WEXITSTATUS(status)};
  return {.exit_code = std::nullopt, .signal = WTERMSIG(status)};
}

std::vector<std::string> make_environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  for (const auto& [name, value] : added) {
    const std::string start = name + "=";
    std::erase_if(variables, [&](const std::string& each) { return each.starts_with(start); });
    variables.push_back(start + value);
  }
  return variables;
}

/// As C strings for execve(); they must outlive the call.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string to_string(const ProcessEnd& end) {
  return end.exit_code ? fmt::format("exit code {}", *end.exit_code) : fmt::format("signal {}", end.signal);
}

void set_limits(const ProcessLimits& limits) {
  const rlimit core{0, 0}, memory{limits.memory, limits.memory}, cpu{limits.cpu_seconds, limits.cpu_seconds};
  setrlimit(RLIMIT_CORE, &core);
  if (kLimitsMemory && limits.memory > 0) setrlimit(RLIMIT_AS, &memory);
  if (limits.cpu_seconds > 0) setrlimit(RLIMIT_CPU, &cpu);
  if (limits.seconds > 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(limits.seconds);
  }
}

Result<ChildProcess> ChildProcess::start(const Program& program) {
  std::vector<std::string> arguments = program.arguments, variables = make_environment(program.environment);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (program.input >= 0) {
    posix_spawn_file_actions_adddup2(&files, program.input, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&files, program.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, program.errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, arguments.front().c_str(), &files, &attributes,
                                 pointers_to(arguments).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return Failure{std::generic_category().message(error)};
  return ChildProcess(pid, pid);
}

Result<ChildProcess> ChildProcess::fork(const std::function<int()>& body) {
  const pid_t parent = getpid(), pid = ::fork();
  if (pid < 0) return Failure{std::generic_category().message(errno)};
  if (pid > 0) return ChildProcess(pid, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // the parent ended before it could be watched
  _exit(body());
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(group_, other.group_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  (void)wait();
}

ProcessEnd ChildProcess::wait() {
  LOCKSTEP_CHECK(pid_ != 0);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  return end_of(status);
}

std::optional<ProcessEnd> ChildProcess::wait_for(std::chrono::milliseconds time) {
  LOCKSTEP_CHECK(pid_ != 0);
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (true) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = 0;
      return end_of(status);
    }
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void ChildProcess::send_signal(int signal) const {
  if (pid_ != 0) kill(pid_, signal);
}

bool ChildProcess::is_group_alive() const {
  return group_ != 0 && (kill(-group_, 0) == 0 || errno != ESRCH);
}

void ChildProcess::send_signal_to_group(int signal) const {
  if (group_ != 0) kill(-group_, signal);
}

}  // namespace lockstep
