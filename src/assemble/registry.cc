#include "assemble/registry.h"

namespace lockstep {

ElementSchema scenario_schema(const Registry& registry) {
  return scenario_schema(DeviceSchemas{.sensors = registry.sensors.schemas(),
                                       .actuators = registry.actuators.schemas(),
                                       .controllers = registry.controllers.schemas(),
                                       .links = registry.links.schemas(),
                                       .subsystems = registry.subsystems.schemas(),
                                       .observers = registry.observers.schemas()});
}

}  // namespace lockstep
