#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assemble/registry.h"
#include "cli/commands.h"

namespace lockstep {

/// The step rate of a run that takes all the CPU it can, with four viewers that read and one that never does,
/// over the rate without any, by turns. Viewers are processes of their own.
nlohmann::ordered_json bench_serve(const BenchCommand& command, const Registry& registry);

}  // namespace lockstep
