#pragma once

#include <nlohmann/json_fwd.hpp>

#include "simulation/live_connections.h"

namespace lockstep {

/// One line per connection for people, and all of it for programs.
void print_connections(const Simulation& simulation);
void add_connections(nlohmann::ordered_json& json, const Simulation& simulation,
                     const StartedControllers& controllers);

}  // namespace lockstep
