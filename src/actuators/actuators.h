#pragma once

#include "device/kinds.h"
#include "lockstep/device.h"
#include "lockstep/world.h"

namespace lockstep {

/// Registers the built-in actuators: one line per kind in actuators.cc.
void add_actuators(Kinds<Actuator>& actuators);

}  // namespace lockstep
