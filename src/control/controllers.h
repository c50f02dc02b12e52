#pragma once

#include "device/kinds.h"
#include "lockstep/device.h"

namespace lockstep {

/// The controllers that come with Lockstep: the list in controllers.cc, one line for each. Scripts have a
/// folder of their own (control/lua/lua_controller.h).
void add_controllers(Kinds<Controller>& controllers);

}  // namespace lockstep
