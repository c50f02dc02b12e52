#pragma once

#include "device/kinds.h"
#include "lockstep/device.h"
#include "lockstep/world.h"
#include "sensors/imperfect_sensor.h"

namespace lockstep {

/// Registers the built-in sensors: one line per kind in sensors.cc.
void add_sensors(Kinds<Sensor>& sensors);

}  // namespace lockstep
