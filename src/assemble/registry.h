#pragma once

#include "assemble/engines.h"
#include "connection/connection.h"
#include "device/kinds.h"
#include "lockstep/registry.h"
#include "sensors/imperfect_sensor.h"

namespace lockstep {

/// What a Registry holds.
struct RegistryLists {
  Kinds<Sensor> sensors;
  Kinds<Actuator> actuators;
  Kinds<Controller> controllers;
  Kinds<Connection> connections;
  Kinds<Subsystem> subsystems;
  Kinds<Observer> observers;
  Engines engines;
  std::shared_ptr<const CameraViews> camera_views;  ///< what cameras see (physics/camera_view.h)
};

/// Schema of the whole scenario file with the devices of this registry.
ElementSchema scenario_schema(const Registry& registry);

}  // namespace lockstep
