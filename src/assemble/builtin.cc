#include "assemble/builtin_internal.h"
#include "physics/mujoco/mujoco_engine.h"

namespace lockstep {

Registry default_registry() {
  Registry registry;
  registry.engines.add(std::make_shared<MujocoEngine>());
  add_builtin_sensors(registry);
  add_builtin_actuators(registry);
  add_builtin_controllers(registry);
  add_builtin_links(registry);
  add_imperisim(registry);
  add_builtin_observers(registry);
  return registry;
}

}  // namespace lockstep
