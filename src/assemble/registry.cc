#include "assemble/registry.h"

#include "assemble/faults.h"

namespace lockstep {

ElementSchema scenario_schema(const Registry& registry) {
  return scenario_schema(DeviceSchemas{.sensors = registry.sensors.schemas(),
                                       .actuators = registry.actuators.schemas(),
                                       .controllers = registry.controllers.schemas(),
                                       .connections = registry.connections.schemas(),
                                       .subsystems = registry.subsystems.schemas(),
                                       .observers = registry.observers.schemas(),
                                       .faults = fault_schemas(),
                                       .engine_children = registry.engines.schemas()});
}

}  // namespace lockstep
