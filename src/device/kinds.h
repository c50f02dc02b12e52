#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/context.h"
#include "lockstep/fields.h"
#include "scenario/fields.h"
#include "scenario/schema.h"

namespace lockstep {

/// What the elements of a category of devices have beside what all have: nothing, unless SharedOf names a type
/// with the same two functions.
template <typename Device>
struct NothingShared {
  /// The finished device. Its signals are those that were added since the table had `first_signal` of them.
  std::unique_ptr<Device> complete(std::unique_ptr<Device> device, std::size_t /*first_signal*/,
                                   BuildContext&) const {
    return device;
  }
};

template <class V, typename Device>
void describe(V&, NothingShared<Device>&) {}

template <typename Device>
struct SharedOf {
  using Type = NothingShared<Device>;
};
struct SensorErrors;
template <>
struct SharedOf<Sensor> {
  using Type = SensorErrors;  ///< <error> children (sensors/imperfect_sensor.h)
};

/// What every device element has beside its own attributes.
template <typename Device, typename Config>
struct DeviceConfig {
  std::string name;
  Duration period{0};
  typename SharedOf<Device>::Type shared;
  Config own;
};

template <class V, typename Device, typename Config>
void describe(V& v, DeviceConfig<Device, Config>& c) {
  v.name("name", c.name,
         {.doc = "Name of the device; its signals are called robot/name/quantity.", .required = true});
  v.time("period", c.period,
         {.min = 0.0, .doc = "Time between two calls, a multiple of the step; every step if omitted."});
  describe(v, c.own);
  describe(v, c.shared);
}

/// The kinds of device of one category, such as all sensors. An ordinary object that a scenario is assembled
/// with: a program of your own may add to it.
template <typename Device>
class Kinds {
 public:
  struct Kind {
    std::string doc;
    ElementSchema schema;
    bool reads_signals = false;  ///< of other devices, so it is made after all that declare signals
    /// Reads the element and makes the device; nothing, with errors in the diagnostics, if it cannot.
    std::function<std::unique_ptr<Device>(const Element&, BuildContext&)> make;
  };

  /// `Config` is a plain struct with a describe() function (lockstep/fields.h); the values of `fresh` are the
  /// defaults. A kind added again replaces the old.
  template <typename Config>
  void add(const std::string& kind, const std::string& doc,
           std::function<std::unique_ptr<Device>(const Config&, BuildContext&)> make,
           const Config& fresh = {}) {
    kinds_[kind] = {doc, FieldSchema::make_schema(kind, doc, DeviceConfig<Device, Config>{.own = fresh}), false,
                    [make = std::move(make), fresh](const Element& element,
                                                    BuildContext& context) -> std::unique_ptr<Device> {
                      const std::size_t errors = context.diagnostics.error_count();
                      DeviceConfig<Device, Config> config{.own = fresh};
                      FieldReader(element, context.diagnostics).read_into(element, config);
                      if (context.diagnostics.error_count() > errors) return nullptr;
                      context.begin(element, config.name, config.period);
                      if (context.diagnostics.error_count() > errors) return nullptr;
                      const std::size_t signals = context.signals.size();
                      std::unique_ptr<Device> device = make(config.own, context);
                      return config.shared.complete(std::move(device), signals, context);
                    }};
  }
  /// The same for a kind whose factory looks for signals of other devices, also of actuators. It is called last.
  template <typename Config>
  void add_reader(const std::string& kind, const std::string& doc,
                  std::function<std::unique_ptr<Device>(const Config&, BuildContext&)> make) {
    add<Config>(kind, doc, std::move(make));
    kinds_[kind].reads_signals = true;
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

}  // namespace lockstep
