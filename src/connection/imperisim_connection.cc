#include "connection/imperisim_connection.h"

#include <algorithm>
#include <set>

#include "base/units.h"
#include "connection/imperisim_peer.h"
#include "connection/make_connection.h"

namespace lockstep {
namespace {

using Field = ImperisimPeer::Field;

/// The programs do not use our protocol, only plain streams.
std::string list_stream_patterns() {
  return list_address_patterns(
      {.quote = "'", .is_meant = [](const Transport& each) { return each.is_plain_stream; }});
}

class ImperisimBuilder {
 public:
  ImperisimBuilder(const ImperisimConfig& config, BuildContext& context) : config_(config), context_(context) {}

  std::unique_ptr<Connection> build() {
    const std::size_t errors = context_.diagnostics.error_count();
    const std::optional<Address> address = find_address();
    add_all("motor_port", config_.motors,
            [&](const MotorPort& port, const Element& at) { add_motor(port, at); });
    add_all("analog_port", config_.analogs, [&](const SensorPort& port, const Element& at) {
      add_sensor({Field::kAnalog, index(port.port), port.scale, port.offset}, port.signal, at);
    });
    add_all("digital_port", config_.digitals, [&](const DigitalPort& port, const Element& at) {
      add_sensor({Field::kDigital, index(port.port)}, port.signal, at);
    });
    if (config_.camera) {
      add_sensor({Field::kCameraX, 0, config_.camera->scale, config_.camera->offset}, config_.camera->signal,
                 *context_.find_child("camera_port"));
    }
    add_all("odometry", config_.deltas, [&](const DeltaPort& port, const Element& at) {
      add_sensor({port.axis, 0, port.scale}, port.signal, at);
    });
    if (config_.heading) add_heading(*config_.heading, *context_.find_child("heading"));
    std::optional<AccessOptions> access;
    if (address) access = find_access(config_.access, *address, std::nullopt, context_);
    if (context_.diagnostics.error_count() > errors) return nullptr;
    std::unique_ptr<Peer> peer;
    if (context_.services.connections.live) {
      settings_.timeout = config_.timing.timeout;
      settings_.cancelled = context_.services.connections.cancelled;
      peer = std::make_unique<ImperisimPeer>(
          std::move(settings_),
          [address = *address, port = last_port(context_), options = TransportOptions{.access = *access}](
              std::string& why) mutable { return listen(address, options, port, why); });
    }
    return make_remote_controller(config_.timing, std::move(reads_), std::move(writes_), std::move(peer),
                                  context_);
  }

 private:
  static std::size_t index(std::int64_t port) { return static_cast<std::size_t>(port); }

  std::optional<Address> find_address() {
    std::optional<Address> address = find_connection_address(config_.address, context_);
    if (address && !address->transport->is_plain_stream) {
      context_.error_at("address", "'{}' does not fit; expected {}", config_.address, list_stream_patterns());
    }
    return address;
  }

  /// The structs hold the values, the elements the places for errors.
  template <typename Port, typename Add>
  void add_all(std::string_view name, const std::vector<Port>& ports, Add add) {
    std::size_t i = 0;
    for (const Element& child : context_.element().children) {
      if (child.name == name) add(ports[i++], child);
    }
  }

  bool is_new(Field field, std::size_t port, const Element& at) {
    if (taken_.emplace(field, port).second) return true;
    const char* attribute = at.find_attribute("port") != nullptr ? "port"
                            : at.name == "heading"               ? "sensor"
                                                                 : "axis";
    context_.error_in(at, attribute, "appears twice");
    return false;
  }

  std::optional<Slot> find(const std::string& name) const {
    const auto own = context_.scope.empty() ? std::nullopt : context_.signals.find(context_.scope + "/" + name);
    return own ? own : context_.signals.find(name);
  }

  void add_motor(const MotorPort& motor, const Element& at) {
    if (!motors_.insert(motor.port).second) {
      context_.error_in(at, "port", "motor {} appears twice", motor.port);
      return;
    }
    std::vector<Slot> slots;
    for (const char* quantity : {"velocity", "goal", "has_goal"}) {
      const auto slot = find(motor.actuator + "/" + quantity);
      if (slot && context_.signals.info(*slot).role == SignalRole::kCommand) slots.push_back(*slot);
    }
    if (slots.size() != 3) {
      context_.error_in(at, "actuator", "there is no <trajectory> motor '{}'{}", motor.actuator,
                        suggest(motor.actuator, trajectory_motors()));
      return;
    }
    if (std::find(writes_.begin(), writes_.end(), slots[0]) != writes_.end()) {
      context_.error_in(at, "actuator", "'{}' is already driven by another port", motor.actuator);
      return;
    }
    const SignalInfo& velocity = context_.signals.info(slots[0]);
    const SignalInfo& goal = context_.signals.info(slots[1]);
    bool fits = context_.require_unit_in(at, "scale", goal);
    fits = context_.require_unit_in(at, "offset", goal) && fits;
    fits = context_.require_unit_in(at, "velocity", velocity) && fits;
    if (!fits) return;
    writes_.insert(writes_.end(), slots.begin(), slots.end());
    settings_.motors.push_back({index(motor.port), motor.scale, motor.offset, motor.velocity});
  }

  std::vector<std::string> trajectory_motors() const {
    constexpr std::string_view kEnding = "/has_goal";
    std::vector<std::string> names;
    for (std::string& name : command_names(context_.signals)) {
      if (name.ends_with(kEnding)) names.push_back(name.substr(0, name.size() - kEnding.size()));
    }
    return context_.short_names(std::move(names));
  }

  void add_sensor(const ImperisimPeer::Sensor& sensor, const std::string& signal, const Element& at) {
    if (!is_new(sensor.field, sensor.port, at)) return;
    const auto slot = find(signal);
    if (!slot) {
      context_.error_in(at, "signal", "unknown signal '{}'{}", signal,
                        suggest(signal, context_.short_names(context_.signals.names())));
      return;
    }
    reads_.push_back(*slot);
    settings_.sensors.push_back(sensor);
  }

  void add_heading(const HeadingPort& heading, const Element& at) {
    if (!is_new(Field::kDeltaTheta, 0, at)) return;
    std::vector<Slot> slots;
    for (const char* quantity : {"qw", "qx", "qy", "qz"}) {
      if (const auto slot = find(heading.sensor + "/" + quantity)) slots.push_back(*slot);
    }
    if (slots.size() != 4) {
      context_.error_in(at, "sensor", "there is no <pose> sensor '{}'", heading.sensor);
      return;
    }
    reads_.insert(reads_.end(), slots.begin(), slots.end());
    settings_.sensors.push_back({.field = Field::kHeading, .scale = heading.scale});
  }

  const ImperisimConfig& config_;
  BuildContext& context_;
  ImperisimPeer::Settings settings_;
  std::vector<Slot> reads_;
  std::vector<Slot> writes_;
  std::set<std::int64_t> motors_;
  std::set<std::pair<Field, std::size_t>> taken_;
};

}  // namespace

std::string_view imperisim_address_doc() {
  static const std::string doc =
      fmt::format("Address on which the simulation listens for the program: {}.", list_stream_patterns());
  return doc;
}

std::unique_ptr<Connection> make_imperisim(const ImperisimConfig& config, BuildContext& context) {
  return ImperisimBuilder(config, context).build();
}

}  // namespace lockstep
