#pragma once

#include "device/kinds.h"
#include "lockstep/device.h"
#include "lockstep/world.h"

namespace lockstep {

/// The actuators that come with Lockstep: the list in actuators.cc, one line for each.
void add_actuators(Kinds<Actuator>& actuators);

}  // namespace lockstep
