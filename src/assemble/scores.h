#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenario/scenario.h"
#include "simulation/simulation.h"

namespace lockstep {

/// Full names of the <score> sensors of a scenario, those of robots first. Their signals are "NAME/points".
std::vector<std::string> list_scores(const Scenario& scenario);

/// Each of them with its points in the last step of a simulation of this scenario.
std::vector<std::pair<std::string, double>> read_scores(const Scenario& scenario, const Simulation& simulation);

}  // namespace lockstep
