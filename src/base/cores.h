#pragma once

#include <sched.h>

#include <optional>

namespace lockstep {

/// Pins the calling process, and processes that it starts later, to this core; nullopt: changes nothing.
inline void stay_on(std::optional<int> core) {
  if (!core || *core < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(*core), &set);
  sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace lockstep
