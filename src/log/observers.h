#pragma once

#include "device/kinds.h"
#include "lockstep/device.h"
#include "lockstep/world.h"

namespace lockstep {

/// The observers that come with Lockstep: the list in observers.cc, one line for each.
void add_observers(Kinds<Observer>& observers);

}  // namespace lockstep
