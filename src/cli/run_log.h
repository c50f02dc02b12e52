#pragma once

#include "cli/commands.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

namespace lockstep {

/// Adds the logs that the command line asks for. Throws UserError if one cannot be opened, names unknown
/// signals, or would overwrite the scenario or another log.
void add_logs(Simulation& simulation, const RunCommand& command, const Scenario& scenario);

}  // namespace lockstep
