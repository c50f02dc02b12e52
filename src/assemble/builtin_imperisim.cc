#include <set>

#include "assemble/build_link.h"
#include "assemble/builtin_internal.h"
#include "base/units.h"
#include "connection/imperisim_peer.h"

namespace lockstep {
namespace {

constexpr double kLastPort = static_cast<double>(kImperisimPorts - 1);
constexpr double kLargestScale = 1e6;  // so that no number of a packet becomes infinite

struct MotorPort {
  std::int64_t port = 0;
  std::string actuator;
  double scale = 1.0;
  double offset = 0.0;
  std::optional<double> velocity;
};

template <class V>
void describe(V& v, MotorPort& c) {
  v.integer("port", c.port,
            {.min = 0,
             .max = kLastPort,
             .doc = "Motor of the packet: 0–3 motors, 4–7 servos, 8–10 locomotion, 11–13 low-side drivers.",
             .required = true});
  v.text("actuator", c.actuator, {.doc = "A <trajectory> motor by its name.", .required = true});
  v.number("scale", c.scale,
           {.unit = "rad or m",
            .min = -kLargestScale,
            .max = kLargestScale,
            .doc = "Angle or way for one unit of the packet, such as one tick."});
  v.number("offset", c.offset,
           {.unit = "rad or m", .min = -kLargestScale, .max = kLargestScale, .doc = "Where the goal 0 is."});
  v.number("velocity", c.velocity,
           {.unit = "rad/s or m/s",
            .min = 0.0,
            .doc = "Speed towards goals, for servos, which are given none; that of the packet if left out."});
}

/// Where a number of the sensor packet comes from.
struct SensorPort {
  std::int64_t port = 0;
  std::string signal;
  double scale = 1.0;
  double offset = 0.0;
};

struct DigitalPort : SensorPort {};
struct CameraPort : SensorPort {};

template <class V>
void describe_source(V& v, SensorPort& c, const char* signal_doc) {
  v.text("signal", c.signal, {.doc = signal_doc, .required = true});
}

template <class V>
void describe_scale(V& v, SensorPort& c) {
  v.number("scale", c.scale, {.doc = "The packet has scale times the signal in SI units, and the offset."});
  v.number("offset", c.offset, {.doc = "What the packet has where the signal is 0."});
}

template <class V>
void describe(V& v, SensorPort& c) {
  v.integer(
      "port", c.port,
      {.min = 0, .max = kLastPort, .doc = "0–7 controller, 8 base, 9–12 cliffs, 13 wall.", .required = true});
  describe_source(v, c, "Signal; rounded and cut off to 16 bits.");
  describe_scale(v, c);
}

template <class V>
void describe(V& v, DigitalPort& c) {
  v.integer("port", c.port,
            {.min = 0, .max = kLastPort, .doc = "0–7 controller, 8–11 base, 12–13 bumpers.", .required = true});
  describe_source(v, c, "Signal; the packet has 1 from 0.5 on, else 0.");
}

template <class V>
void describe(V& v, CameraPort& c) {
  describe_source(v, c, "Signal; rounded and cut off to 16 bits.");
  describe_scale(v, c);
}

using Field = ImperisimPeer::Field;
inline constexpr std::array<std::pair<std::string_view, Field>, 3> kDeltaAxes = {
    {{"x", Field::kDeltaX}, {"y", Field::kDeltaY}, {"theta", Field::kDeltaTheta}}};

struct DeltaPort {
  Field axis = Field::kDeltaX;
  std::string signal;
  double scale = 1.0;
};

template <class V>
void describe(V& v, DeltaPort& c) {
  v.choice("axis", c.axis, kDeltaAxes, {.doc = "Which of the three.", .required = true});
  v.text("signal", c.signal,
         {.doc = "Signal; the packet has what it has changed since the packet before.", .required = true});
  v.number("scale", c.scale, {.doc = "The packet has scale times the change in SI units."});
}

struct ImperisimConfig {
  std::string address;
  LinkTiming timing{.silence = Silence::kHold};
  std::vector<MotorPort> motors;
  std::vector<SensorPort> analogs;
  std::vector<DigitalPort> digitals;
  std::optional<CameraPort> camera;
  std::vector<DeltaPort> deltas;
};

/// The programs know nothing of our protocols.
std::string list_stream_patterns() {
  return list_address_patterns(
      {.quote = "'", .is_meant = [](const Transport& each) { return each.is_plain_stream; }});
}

template <class V>
void describe(V& v, ImperisimConfig& c) {
  static const std::string doc =
      fmt::format("Where the simulation waits for the program: {}.", list_stream_patterns());
  v.text("address", c.address, {.doc = doc, .required = true});
  describe(v, c.timing);
  v.children("motor", c.motors, {.doc = "A motor of the packet that drives something."});
  v.children("analog", c.analogs, {.doc = "An analog port; one without signal reads 0."});
  v.children("digital", c.digitals, {.doc = "A digital port; one without signal reads 0."});
  v.child("camera", c.camera, {.doc = "What track_x(0, 0) reads."});
  v.children("delta", c.deltas, {.doc = "How far the robot has moved in the segment."});
}

class ImperisimBuilder {
 public:
  ImperisimBuilder(const ImperisimConfig& config, BuildContext& context) : config_(config), context_(context) {}

  std::unique_ptr<ControllerLink> build() {
    const std::size_t errors = context_.diagnostics.error_count();
    const std::optional<Address> address = find_address();
    add_all("motor", config_.motors, [&](const MotorPort& port, const Element& at) { add_motor(port, at); });
    add_all("analog", config_.analogs, [&](const SensorPort& port, const Element& at) {
      add_sensor({Field::kAnalog, index(port.port), port.scale, port.offset}, port.signal, at);
    });
    add_all("digital", config_.digitals, [&](const DigitalPort& port, const Element& at) {
      add_sensor({Field::kDigital, index(port.port)}, port.signal, at);
    });
    if (config_.camera) {
      add_sensor({Field::kCameraX, 0, config_.camera->scale, config_.camera->offset}, config_.camera->signal,
                 *context_.find_child("camera"));
    }
    add_all("delta", config_.deltas, [&](const DeltaPort& port, const Element& at) {
      add_sensor({port.axis, 0, port.scale}, port.signal, at);
    });
    if (context_.diagnostics.error_count() > errors) return nullptr;
    std::unique_ptr<Peer> peer;
    if (context_.links.live) {
      settings_.timeout = config_.timing.timeout;
      peer = std::make_unique<ImperisimPeer>(
          std::move(settings_), [address = *address](std::string& why) { return listen(address, {}, why); });
    }
    return make_remote_controller(config_.timing, std::move(reads_), std::move(writes_), std::move(peer),
                                  context_);
  }

 private:
  static std::size_t index(std::int64_t port) { return static_cast<std::size_t>(port); }

  std::optional<Address> find_address() {
    std::string error;
    std::optional<Address> address = parse_address(config_.address, error);
    if (!address) {
      context_.error_at("address", "{}", error);
    } else if (!address->transport->is_plain_stream) {
      context_.error_at("address", "'{}' does not fit; expected {}", config_.address,
                        list_stream_patterns());
    }
    return address;
  }

  /// The structs have the values, the elements their places.
  template <typename Port, typename Add>
  void add_all(std::string_view name, const std::vector<Port>& ports, Add add) {
    std::size_t i = 0;
    for (const Element& child : context_.element().children) {
      if (child.name == name) add(ports[i++], child);
    }
  }

  bool is_new(Field field, std::size_t port, const Element& at) {
    if (taken_.emplace(field, port).second) return true;
    context_.error_in(at, at.find_attribute("port") != nullptr ? "port" : "axis", "it is there already");
    return false;
  }

  std::optional<Slot> find(const std::string& name) const {
    const auto own = context_.scope.empty() ? std::nullopt : context_.signals.find(context_.scope + "/" + name);
    return own ? own : context_.signals.find(name);
  }

  void add_motor(const MotorPort& motor, const Element& at) {
    if (!motors_.insert(motor.port).second) {
      context_.error_in(at, "port", "motor {} is there already", motor.port);
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
      context_.error_in(at, "actuator", "'{}' is driven by another port already", motor.actuator);
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

  const ImperisimConfig& config_;
  BuildContext& context_;
  ImperisimPeer::Settings settings_;
  std::vector<Slot> reads_;
  std::vector<Slot> writes_;
  std::set<std::int64_t> motors_;
  std::set<std::pair<Field, std::size_t>> taken_;
};

std::unique_ptr<ControllerLink> make_imperisim(const ImperisimConfig& config, BuildContext& context) {
  return ImperisimBuilder(config, context).build();
}

}  // namespace

void add_imperisim(Registry& registry) {
  registry.links.add<ImperisimConfig>(
      "imperisim", "A robot program that speaks the protocol of ImperiSim 2.0 (docs/imperisim.md).",
      make_imperisim);
}

}  // namespace lockstep
