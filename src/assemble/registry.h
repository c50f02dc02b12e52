#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actuators/actuator.h"
#include "assemble/build_context.h"
#include "assemble/engines.h"
#include "assemble/sensor_errors.h"
#include "control/controller.h"
#include "connection/link.h"
#include "log/observer.h"
#include "physics/subsystem.h"
#include "scenario/fields.h"
#include "scenario/schema.h"
#include "sensors/sensor.h"

/// The parts a scenario can name. An ordinary object: take default_registry(), add your own, and hand it to
/// assemble() or run_command_line().
namespace lockstep {

/// What the elements of one sort of part have beside what all have.
template <typename Part>
struct SortConfig {};

template <class V, typename Part>
void describe(V&, SortConfig<Part>&) {}

template <>
struct SortConfig<Sensor> {
  std::vector<SensorErrorConfig> errors;
};

template <class V>
void describe(V& v, SortConfig<Sensor>& c) {
  v.children("error", c.errors,
             {.doc = "How readings differ from the truth: bias and noise are added, then limits hold, then the "
                     "resolution, then the delay."});
}

/// What every device element has beside its own attributes.
template <typename Part, typename Config>
struct DeviceConfig {
  std::string name;
  Duration period{0};
  SortConfig<Part> sort;
  Config own;
};

template <class V, typename Part, typename Config>
void describe(V& v, DeviceConfig<Part, Config>& c) {
  v.name("name", c.name,
         {.doc = "Name of the device; its signals are called robot/name/quantity.", .required = true});
  v.time("period", c.period,
         {.min = 0.0, .doc = "Time between two calls, a multiple of the step; every step if left out."});
  describe(v, c.own);
  describe(v, c.sort);
}

/// The kinds of one sort of part, such as all sensors.
template <typename Part>
class Kinds {
 public:
  struct Kind {
    std::string doc;
    ElementSchema schema;
    /// Reads the element and makes the part; nothing, with errors in the diagnostics, if it cannot.
    std::function<std::unique_ptr<Part>(const Element&, BuildContext&)> make;
  };

  /// `Config` is a plain struct with a describe() function (base/field.h). A kind added again replaces the old.
  template <typename Config>
  void add(const std::string& kind, const std::string& doc,
           std::function<std::unique_ptr<Part>(const Config&, BuildContext&)> make) {
    kinds_[kind] = {
        doc, schema_of<DeviceConfig<Part, Config>>(kind, doc),
        [make = std::move(make)](const Element& element, BuildContext& context) -> std::unique_ptr<Part> {
          const std::size_t errors = context.diagnostics.error_count();
          auto config = read_fields<DeviceConfig<Part, Config>>(element, context.diagnostics);
          if (context.diagnostics.error_count() > errors) return nullptr;
          context.begin(element, config.name, config.period);
          if (context.diagnostics.error_count() > errors) return nullptr;
          const std::size_t signals = context.signals.size();
          std::unique_ptr<Part> part = make(config.own, context);
          if constexpr (std::is_same_v<Part, Sensor>) {
            part = with_errors(std::move(part), config.sort.errors, signals, context);
          }
          return part;
        }};
  }

  const Kind* find(std::string_view kind) const {
    const auto it = kinds_.find(std::string(kind));
    return it == kinds_.end() ? nullptr : &it->second;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [kind, _] : kinds_) names.push_back(kind);
    return names;
  }
  std::vector<ElementSchema> schemas() const {
    std::vector<ElementSchema> schemas;
    for (const auto& [_, kind] : kinds_) schemas.push_back(kind.schema);
    return schemas;
  }

 private:
  std::map<std::string, Kind> kinds_;
};

struct Registry {
  Kinds<Sensor> sensors;
  Kinds<Actuator> actuators;
  Kinds<Controller> controllers;
  Kinds<ControllerLink> links;
  Kinds<Subsystem> subsystems;
  Kinds<Observer> observers;
  Engines engines;
};

/// Everything that comes with Lockstep.
Registry default_registry();

/// Schema of the whole scenario file with the devices of this registry.
ElementSchema scenario_schema(const Registry& registry);

}  // namespace lockstep
