#pragma once

#include "device/kinds.h"
#include "lockstep/device.h"
#include "lockstep/world.h"

namespace lockstep {

/// Registers the built-in observers: one line per kind in observers.cc.
void add_observers(Kinds<Observer>& observers);

}  // namespace lockstep
