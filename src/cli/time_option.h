#pragma once

#include <cstdint>
#include <string>

#include "simulation/simulation.h"

namespace lockstep {

/// A duration from the command line, s. Throws UserError.
double parse_time(const char* option, const std::string& text);

/// The same as a number of physics steps; must be an integer multiple.
std::int64_t parse_steps(const char* option, const std::string& text, const Simulation& simulation);

}  // namespace lockstep
