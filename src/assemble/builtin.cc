#include "actuators/actuators.h"
#include "assemble/registry.h"
#include "connection/connections.h"
#include "control/controllers.h"
#include "control/lua/lua_controller.h"
#include "log/observers.h"
#include "physics/mujoco/mujoco_engine.h"
#include "sensors/sensors.h"

namespace lockstep {

Registry default_registry() {
  Registry registry;
  registry.engines.add(std::make_shared<MujocoEngine>());
  add_sensors(registry.sensors);
  add_actuators(registry.actuators);
  add_controllers(registry.controllers);
  add_scripts(registry.controllers);
  add_connections(registry.connections);
  add_observers(registry.observers);
  return registry;
}

}  // namespace lockstep
