#include "actuators/actuators.h"
#include "assemble/registry.h"
#include "connection/connections.h"
#include "control/controllers.h"
#include "control/lua/lua_controller.h"
#include "log/observers.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/render/mujoco_camera_views.h"
#include "sensors/sensors.h"

namespace lockstep {

Registry default_registry() {
  Registry registry;
  registry.lists().engines.add(std::make_shared<MujocoEngine>());
  registry.lists().camera_views = make_mujoco_camera_views();
  add_sensors(registry.lists().sensors);
  add_actuators(registry.lists().actuators);
  add_controllers(registry.lists().controllers);
  add_scripts(registry.lists().controllers);
  add_connections(registry.lists().connections);
  add_observers(registry.lists().observers);
  return registry;
}

}  // namespace lockstep
