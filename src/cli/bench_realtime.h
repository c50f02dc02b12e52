#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assemble/registry.h"
#include "cli/commands.h"

namespace lockstep {

/// The delta robot in real time at 2 kHz, with its controller at the other end of a shared memory, against a
/// bare loop of clock_nanosleep() with the same period and priority: by turns, in stretches of five seconds.
nlohmann::ordered_json bench_realtime(const BenchCommand& command, const Registry& registry);

}  // namespace lockstep
