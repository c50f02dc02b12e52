#pragma once

#include <nlohmann/json_fwd.hpp>

#include "simulation/live_connections.h"

namespace lockstep {

/// Connection statistics: as text (one line per connection) and as JSON.
void print_connections(const Simulation& simulation);
void add_connections(nlohmann::ordered_json& json, const Simulation& simulation,
                     const StartedControllers& controllers);

}  // namespace lockstep
