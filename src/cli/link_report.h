#pragma once

#include <nlohmann/json_fwd.hpp>

#include "simulation/live_links.h"

namespace lockstep {

/// One line per link for people, and all of it for programs.
void print_links(const Simulation& simulation);
void add_links(nlohmann::ordered_json& json, const Simulation& simulation, const StartedControllers& controllers);

}  // namespace lockstep
