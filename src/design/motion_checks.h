#pragma once

#include "lockstep/error.h"
#include "lockstep/world.h"
#include "scenario/scenario.h"

/// Checks that move a robot. They see the world through its interface: any engine will do.
namespace lockstep {

/// Moves each hinge and slide through its limits (a hinge without limits once round) with all others at the
/// start, and warns of links of one robot that touch then and do not at the start. The state is left as it was.
void check_sweeps(World& world, Diagnostics& diagnostics);

/// The scenario with nothing left that takes or gives energy: no devices, contacts, limits, friction, damping,
/// air and water; with fine steps, and with joints that move at the start.
Scenario in_free_motion(Scenario scenario);

/// Runs a world of such a scenario for a second: its energy must stay what it was. An error if it does not.
void check_energy(World& world, Diagnostics& diagnostics);

}  // namespace lockstep
