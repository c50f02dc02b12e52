#pragma once

#include "cli/run.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

namespace lockstep {

/// Whether two paths mean one file, whether it is there or not.
bool is_same_file(const std::string& a, const std::string& b);

/// Throws UserError if a file that the run is to write is the scenario itself or written by something else,
/// too. Called before anything is opened.
void check_outputs(const RunCommand& command, const Scenario& scenario);

/// Adds the logs that the command line asks for. Throws UserError if one cannot be opened or names unknown
/// signals.
void add_logs(Simulation& simulation, const RunCommand& command);

}  // namespace lockstep
