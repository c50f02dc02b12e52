#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assemble/registry.h"
#include "cli/commands.h"

namespace lockstep {

/// Exchanges of a link in lock step, with a controller on the C client in another process, against a raw
/// ping-pong of as many bytes on the same transport between the same cores: by turns, on the wall.
///
/// The link is that of an assembled simulation and is called as its step calls it, but nothing else of the step
/// is run. So there is no physics to take out: what a step costs beside its link is many times what is measured
/// where ends spin, and its difference between two runs would drown it.
///
/// Where ends wait for each other in the operating system both are on one core: waking another core costs
/// several times as much, differs from time to time, and would hide what the link itself costs. Ends that spin
/// have a core each.
nlohmann::ordered_json bench_link(const BenchCommand& command, const Registry& registry);

}  // namespace lockstep
