#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actuators/actuator.h"
#include "assemble/engines.h"
#include "connection/connection.h"
#include "control/controller.h"
#include "device/kinds.h"
#include "log/observer.h"
#include "physics/subsystem.h"
#include "sensors/imperfect_sensor.h"
#include "sensors/sensor.h"

/// The devices a scenario can name. An ordinary object: take default_registry(), add your own, and hand it to
/// assemble() or run_command_line().
namespace lockstep {

struct Registry {
  Kinds<Sensor> sensors;
  Kinds<Actuator> actuators;
  Kinds<Controller> controllers;
  Kinds<Connection> connections;
  Kinds<Subsystem> subsystems;
  Kinds<Observer> observers;
  Engines engines;
};

/// Everything that comes with Lockstep.
Registry default_registry();

/// Schema of the whole scenario file with the devices of this registry.
ElementSchema scenario_schema(const Registry& registry);

}  // namespace lockstep
