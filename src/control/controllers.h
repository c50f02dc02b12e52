#pragma once

#include "device/kinds.h"
#include "lockstep/device.h"

namespace lockstep {

/// Registers the built-in controllers: one line per kind in controllers.cc. Scripts are in
/// control/lua/lua_controller.h.
void add_controllers(Kinds<Controller>& controllers);

}  // namespace lockstep
