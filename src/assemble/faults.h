#pragma once

#include <string>
#include <vector>

#include "connection/connection_faults.h"
#include "device/context.h"
#include "scenario/schema.h"
#include "simulation/simulation.h"

namespace lockstep {

/// Declares the faults of the scenario, each with its signals: wraps the sensors and actuators that they name,
/// makes an event of each beginning, and returns those of connections. `context` has the scope "faults".
FaultsOfConnections add_faults(const std::vector<Element>& elements,
                               const std::vector<std::string>& connections, BuildContext& context,
                               SimulationSetup& setup);

/// What a <faults> may hold.
std::vector<ElementSchema> fault_schemas();

}  // namespace lockstep
