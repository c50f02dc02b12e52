#include "assemble/faults.h"

#include <algorithm>
#include <set>

#include "actuators/faulty_actuator.h"
#include "assemble/consequences.h"
#include "assemble/fault_config.h"
#include "scenario/fields.h"
#include "sensors/faulty_sensor.h"

namespace lockstep {
namespace {

/// Maximum delay of a connection in steps; more would take too much memory.
constexpr std::int64_t kMaxFaultDelay = 100'000;

MessageFault message_fault_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDrop:
      return MessageFault::kDrop;
    case FaultKind::kDuplicate:
      return MessageFault::kDuplicate;
    case FaultKind::kCorrupt:
      return MessageFault::kCorrupt;
    case FaultKind::kFreeze:
      return MessageFault::kFreeze;
    case FaultKind::kDisconnect:
      return MessageFault::kDisconnect;
    default:
      return MessageFault::kNone;
  }
}

SignalFaultKind signal_fault_of(FaultKind kind) {
  if (kind == FaultKind::kStick) return SignalFaultKind::kStick;
  return kind == FaultKind::kBias ? SignalFaultKind::kBias : SignalFaultKind::kCut;
}

template <typename Device>
std::optional<std::size_t> find_device(const std::vector<Scheduled<Device>>& devices, const std::string& name) {
  const auto it =
      std::find_if(devices.begin(), devices.end(), [&](const auto& device) { return device.name == name; });
  if (it == devices.end()) return std::nullopt;
  return static_cast<std::size_t>(it - devices.begin());
}

class FaultBuilder {
 public:
  FaultBuilder(const std::vector<std::string>& connections, BuildContext& context, SimulationSetup& setup)
      : connections_(connections), context_(context), setup_(setup) {}

  void add(const Element& element) {
    if (element.name != "fault") {
      context_.diagnostics.error(element.place, "<faults> has no <{}>; expected <fault>", element.name);
      return;
    }
    const std::size_t errors = context_.diagnostics.error_count();
    const auto config = read_fields<FaultConfig>(element, context_.diagnostics);
    if (context_.diagnostics.error_count() > errors) return;
    context_.begin(element, config.name, Duration{0});
    if (!names_.insert(config.name).second) {
      context_.error_at("name", "another fault has that name");
      return;
    }
    require_multiple("at", config.at.value_or(Duration{0}));
    require_multiple("length", config.length);
    require_multiple("delay", config.delay);
    const auto active = context_.add_signal("active", "", SignalRole::kInternal);
    const auto count = context_.add_signal("count", "", SignalRole::kInternal);
    if (!active || !count) return;
    const FaultSwitch when(*active, *count, config.chance, Random(context_.seed(), context_.name()));
    if (config.kind <= FaultKind::kCut) {
      add_to_device(config, when);
    } else {
      add_to_connection(config, when);
    }
    setup_.faults.push_back({config.name, *active});
    if (!config.at) return;
    const auto id = FaultId{static_cast<int>(setup_.faults.size()) - 1};
    setup_.events.push_back({steps(*config.at), 0, SetFault{id, true, steps(config.length)}});
  }

  /// Only devices with faults are wrapped, so that the others have no overhead.
  void wrap_devices() {
    for (auto& [i, faults] : of_sensors_) {
      auto& device = setup_.sensors[i].device;
      device = std::make_unique<FaultySensor>(std::move(device), std::move(faults));
    }
    for (auto& [i, faults] : of_actuators_) {
      auto& device = setup_.actuators[i].device;
      device = std::make_unique<FaultyActuator>(std::move(device), std::move(faults));
    }
  }

  FaultsOfConnections take_of_connections() { return std::move(of_connections_); }

 private:
  std::int64_t steps(Duration time) const { return time.count() / context_.model.step.count(); }

  void require_multiple(const char* attribute, Duration time) {
    if (time % context_.model.step == Duration{0}) return;
    context_.error_at(attribute, "{} {} s is not a multiple of the physics step ({} s)", attribute,
                      to_seconds(time), to_seconds(context_.model.step));
  }

  void add_to_device(const FaultConfig& config, const FaultSwitch& when) {
    const auto sensor = find_device(setup_.sensors, config.device);
    const auto actuator = find_device(setup_.actuators, config.device);
    if (!sensor && !actuator) {
      context_.error_at("device", "unknown sensor or actuator '{}'{}", config.device,
                        suggest(config.device, device_names()));
      return;
    }
    // A sensor and an actuator may have the same name; then the signal decides.
    std::vector<std::string> words = split_words(config.signal);
    if (sensor && actuator && words.empty()) {
      context_.error_at("device", "'{}' is a sensor and an actuator; add 'signal' to select one",
                        config.device);
      return;
    }
    const bool is_sensor =
        sensor && (!actuator || has_quantity(config.device, words[0], SignalRole::kMeasurement));
    const SignalRole role = is_sensor ? SignalRole::kMeasurement : SignalRole::kCommand;
    if (!is_sensor && config.kind == FaultKind::kCut && words.empty()) {
      if (config.value) {
        context_.error_at("value", "a value requires a 'signal' if an actuator is cut");
        return;
      }
      FaultyActuator::Faults& faults = of_actuators_[*actuator];
      faults.power.push_back(when);
      faults.efforts = efforts_of(config.device);
      return;
    }
    const auto slots = find_slots(config, words, role);
    if (!slots) return;
    SignalFault fault(signal_fault_of(config.kind), config.value.value_or(0.0), *slots, when);
    if (is_sensor) {
      of_sensors_[*sensor].push_back(std::move(fault));
    } else {
      of_actuators_[*actuator].commands.push_back(std::move(fault));
    }
  }

  bool has_quantity(const std::string& device, const std::string& quantity, SignalRole role) const {
    const auto slot = context_.signals.find(device + "/" + quantity);
    return slot && context_.signals.info(*slot).role == role;
  }

  /// The quantities of a device that have this role.
  std::vector<std::string> quantities_of(const std::string& device, SignalRole role) const {
    std::vector<std::string> quantities;
    const std::string prefix = device + "/";
    for (const SignalInfo& info : context_.signals.all()) {
      if (info.role == role && info.name.starts_with(prefix))
        quantities.push_back(info.name.substr(prefix.size()));
    }
    return quantities;
  }

  std::vector<Slot> efforts_of(const std::string& device) const {
    std::vector<Slot> slots;
    for (const std::string& quantity : quantities_of(device, SignalRole::kInternal)) {
      const Slot slot = *context_.signals.find(device + "/" + quantity);
      const std::string& unit = context_.signals.info(slot).unit;
      if (unit == "N" || unit == "N*m") slots.push_back(slot);
    }
    return slots;
  }

  std::optional<std::vector<Slot>> find_slots(const FaultConfig& config, std::vector<std::string> words,
                                              SignalRole role) {
    const std::vector<std::string> known = quantities_of(config.device, role);
    if (words.empty()) words = known;
    std::vector<Slot> slots;
    for (const std::string& quantity : words) {
      if (std::find(known.begin(), known.end(), quantity) == known.end()) {
        context_.error_at("signal", "'{}' has no {} '{}'{}", config.device,
                          role == SignalRole::kMeasurement ? "reading" : "command", quantity,
                          suggest(quantity, known));
        return std::nullopt;
      }
      const Slot slot = *context_.signals.find(config.device + "/" + quantity);
      if (std::find(slots.begin(), slots.end(), slot) != slots.end()) {
        context_.error_at("signal", "'{}' appears twice", quantity);
        return std::nullopt;
      }
      if (!context_.require_unit("value", context_.signals.info(slot).unit)) return std::nullopt;
      slots.push_back(slot);
    }
    return slots;
  }

  void add_to_connection(const FaultConfig& config, const FaultSwitch& when) {
    if (std::find(connections_.begin(), connections_.end(), config.connection) == connections_.end()) {
      context_.error_at("connection", "unknown connection '{}'{}", config.connection,
                        suggest(config.connection, connections_));
      return;
    }
    if (steps(config.delay) > kMaxFaultDelay) {
      context_.error_at("delay", "delay {} s is {} steps; expected at most {}", to_seconds(config.delay),
                        steps(config.delay), kMaxFaultDelay);
      return;
    }
    of_connections_.by_name[config.connection].push_back(
        {config.direction, message_fault_of(config.kind), steps(config.delay), when});
  }

  std::vector<std::string> device_names() const {
    std::vector<std::string> names;
    for (const auto& sensor : setup_.sensors) names.push_back(sensor.name);
    for (const auto& actuator : setup_.actuators) names.push_back(actuator.name);
    return names;
  }

  const std::vector<std::string>& connections_;
  BuildContext& context_;
  SimulationSetup& setup_;
  std::set<std::string> names_;
  std::map<std::size_t, std::vector<SignalFault>> of_sensors_;  // by index of the sensor
  std::map<std::size_t, FaultyActuator::Faults> of_actuators_;  // by index of the actuator
  FaultsOfConnections of_connections_;
};

}  // namespace

FaultsOfConnections add_faults(const std::vector<Element>& elements,
                               const std::vector<std::string>& connections, BuildContext& context,
                               SimulationSetup& setup) {
  FaultBuilder builder(connections, context, setup);
  for (const Element& element : elements) {
    const Diagnostics::Mark mark = context.diagnostics.mark();
    builder.add(element);
    if (context.diagnostics.mark().errors == mark.errors) continue;
    if (const Attribute* name = element.find_attribute("name"))
      context.diagnostics.mark_missing(name->value);  // no follow-up errors of events that reference it
    if (mark.errors > 0 && !context.diagnostics.is_broken(element.place) &&
        references_broken(element, "", context.model, context.diagnostics)) {
      context.diagnostics.rewind(mark, Place{});
    }
  }
  builder.wrap_devices();
  return builder.take_of_connections();
}

std::vector<ElementSchema> fault_schemas() {
  return {schema_of<FaultConfig>("fault", "A defect that can be injected, at a time or by an event.")};
}

}  // namespace lockstep
