#pragma once

#include "device/kinds.h"
#include "lockstep/device.h"
#include "lockstep/world.h"
#include "sensors/imperfect_sensor.h"

namespace lockstep {

/// The sensors that come with Lockstep: the list in sensors.cc, one line for each.
void add_sensors(Kinds<Sensor>& sensors);

}  // namespace lockstep
