#include "assemble/registry.h"

#include "assemble/faults.h"
#include "device/opaque_config.h"

namespace lockstep {

Registry::Registry() : lists_(std::make_unique<RegistryLists>()) {}
Registry::Registry(const Registry& other) : lists_(std::make_unique<RegistryLists>(*other.lists_)) {}
Registry::Registry(Registry&& other) noexcept = default;
Registry& Registry::operator=(Registry other) noexcept {
  lists_ = std::move(other.lists_);
  return *this;
}
Registry::~Registry() = default;

namespace {

Kinds<Sensor>& kinds_of(RegistryLists& lists, const Sensor*) {
  return lists.sensors;
}
Kinds<Controller>& kinds_of(RegistryLists& lists, const Controller*) {
  return lists.controllers;
}
Kinds<Actuator>& kinds_of(RegistryLists& lists, const Actuator*) {
  return lists.actuators;
}
Kinds<Subsystem>& kinds_of(RegistryLists& lists, const Subsystem*) {
  return lists.subsystems;
}
Kinds<Observer>& kinds_of(RegistryLists& lists, const Observer*) {
  return lists.observers;
}

}  // namespace

template <typename Device>
void Registry::add_any(const std::string& kind, const std::string& doc, const AnyConfig& fresh,
                       Factory<Device, AnyConfig> make) {
  kinds_of(*lists_, static_cast<const Device*>(nullptr))
      .template add<OpaqueConfig>(
          kind, doc,
          [make = std::move(make)](const OpaqueConfig& config, BuildContext& context) {
            return make(config.get(), context);
          },
          OpaqueConfig(fresh));
}

template void Registry::add_any(const std::string&, const std::string&, const AnyConfig&,
                                Factory<Sensor, AnyConfig>);
template void Registry::add_any(const std::string&, const std::string&, const AnyConfig&,
                                Factory<Controller, AnyConfig>);
template void Registry::add_any(const std::string&, const std::string&, const AnyConfig&,
                                Factory<Actuator, AnyConfig>);
template void Registry::add_any(const std::string&, const std::string&, const AnyConfig&,
                                Factory<Subsystem, AnyConfig>);
template void Registry::add_any(const std::string&, const std::string&, const AnyConfig&,
                                Factory<Observer, AnyConfig>);

ElementSchema scenario_schema(const Registry& registry) {
  return scenario_schema(DeviceSchemas{.sensors = registry.lists().sensors.schemas(),
                                       .actuators = registry.lists().actuators.schemas(),
                                       .controllers = registry.lists().controllers.schemas(),
                                       .connections = registry.lists().connections.schemas(),
                                       .subsystems = registry.lists().subsystems.schemas(),
                                       .observers = registry.lists().observers.schemas(),
                                       .faults = fault_schemas(),
                                       .engine_children = registry.lists().engines.schemas()});
}

}  // namespace lockstep
