#include "assemble/registry.h"

#include "assemble/faults.h"
#include "device/opaque_config.h"

namespace lockstep {
namespace {

template <typename Device>
void add_opaque(Kinds<Device>& kinds, const std::string& kind, const std::string& doc, const AnyConfig& fresh,
                Factory<Device, AnyConfig> make) {
  kinds.template add<OpaqueConfig>(
      kind, doc,
      [make = std::move(make)](const OpaqueConfig& config, BuildContext& context) {
        return make(config.get(), context);
      },
      OpaqueConfig(fresh));
}

}  // namespace

Registry::Registry() : lists_(std::make_unique<RegistryLists>()) {}
Registry::Registry(const Registry& other) : lists_(std::make_unique<RegistryLists>(*other.lists_)) {}
Registry::Registry(Registry&& other) noexcept = default;
Registry& Registry::operator=(Registry other) noexcept {
  lists_ = std::move(other.lists_);
  return *this;
}
Registry::~Registry() = default;

void Registry::add(const std::string& kind, const std::string& doc, const AnyConfig& fresh,
                   Factory<Sensor, AnyConfig> make) {
  add_opaque(lists_->sensors, kind, doc, fresh, std::move(make));
}
void Registry::add(const std::string& kind, const std::string& doc, const AnyConfig& fresh,
                   Factory<Controller, AnyConfig> make) {
  add_opaque(lists_->controllers, kind, doc, fresh, std::move(make));
}
void Registry::add(const std::string& kind, const std::string& doc, const AnyConfig& fresh,
                   Factory<Actuator, AnyConfig> make) {
  add_opaque(lists_->actuators, kind, doc, fresh, std::move(make));
}
void Registry::add(const std::string& kind, const std::string& doc, const AnyConfig& fresh,
                   Factory<Subsystem, AnyConfig> make) {
  add_opaque(lists_->subsystems, kind, doc, fresh, std::move(make));
}
void Registry::add(const std::string& kind, const std::string& doc, const AnyConfig& fresh,
                   Factory<Observer, AnyConfig> make) {
  add_opaque(lists_->observers, kind, doc, fresh, std::move(make));
}

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
