#pragma once

#include <string>
#include <vector>

#include "connection/connection_faults.h"
#include "device/context.h"
#include "scenario/schema.h"
#include "simulation/simulation.h"

namespace lockstep {

/// Declares the faults of the scenario with their signals: wraps the sensors and actuators concerned, adds an
/// event for each start time, and returns the faults of connections. `context` has the scope "faults".
FaultsOfConnections add_faults(const std::vector<Element>& elements,
                               const std::vector<std::string>& connections, BuildContext& context,
                               SimulationSetup& setup);

/// The elements allowed in <faults>.
std::vector<ElementSchema> fault_schemas();

}  // namespace lockstep
