#pragma once

#include "cli/run.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

namespace lockstep {

/// Whether two paths refer to the same file, whether it exists or not.
bool is_same_file(const std::string& a, const std::string& b);

/// Throws UserError if an output file of the run is the scenario itself or is written twice. Call before
/// opening any file.
void check_outputs(const RunCommand& command, const Scenario& scenario);

/// Adds the logs of the command line. Throws UserError if one cannot be opened or names unknown
/// signals.
void add_logs(Simulation& simulation, const RunCommand& command);

}  // namespace lockstep
