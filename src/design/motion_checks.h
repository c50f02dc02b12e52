#pragma once

#include "lockstep/error.h"
#include "lockstep/world.h"
#include "scenario/scenario.h"

/// Checks that move a robot. They use the interface of the world, so they work with any engine.
namespace lockstep {

/// Moves each hinge and slide through its limits (a hinge without limits by one turn) with all others at their
/// initial position, and warns of links of one robot that collide then but not at the start. Restores the
/// state.
void check_sweeps(World& world, Diagnostics& diagnostics);

/// The scenario without anything that adds or removes energy: no devices, contacts, limits, friction, damping,
/// air and water; with fine steps, and with initial joint velocities.
Scenario in_free_motion(Scenario scenario);

/// Runs a world of such a scenario for a second: its energy must stay constant. Otherwise an error.
void check_energy(World& world, Diagnostics& diagnostics);

}  // namespace lockstep
