#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assemble/registry.h"
#include "cli/commands.h"

namespace lockstep {

/// Steps the platform and plain mj_step() on the same compiled model with the same forces, by turns, and
/// compares the CPU time. Both follow the same trajectory, bit for bit, which is checked.
nlohmann::ordered_json bench_engine(const BenchCommand& command, const Registry& registry);

}  // namespace lockstep
