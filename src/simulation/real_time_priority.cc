#include "simulation/real_time_priority.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace lockstep {
namespace {

/// Above the usual priority of real-time programs, below the kernel's interrupt threads (50 and more).
constexpr int kPriority = 40;

}  // namespace

RealTimePriority::RealTimePriority() {
  std::string missing;
  const auto note = [&](const char* what) {
    missing += fmt::format("{}{} ({})", missing.empty() ? "" : ", ", what, std::strerror(errno));
  };
  sched_param parameter = {};
  parameter.sched_priority = kPriority;
  is_first_ = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) == 0;
  if (!is_first_) note("no priority");
  is_locked_ = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  if (!is_locked_) note("no locked memory");
  if (missing.empty()) return;
  fmt::print(stderr, "real time: {}; other processes may delay the run (--no-rt requests neither)\n", missing);
}

RealTimePriority::~RealTimePriority() {
  const sched_param parameter = {};
  if (is_first_) sched_setscheduler(0, SCHED_OTHER, &parameter);
  if (is_locked_) munlockall();
}

}  // namespace lockstep
