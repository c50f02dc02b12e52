#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection/imperisim_peer.h"
#include "connection/remote_controller.h"
#include "lockstep/fields.h"

/// A robot program that speaks the protocol of ImperiSim 2.0 (docs/imperisim.md): which number of its packets
/// is which signal.
namespace lockstep {

class BuildContext;

inline constexpr double kLastImperisimPort = static_cast<double>(kImperisimPorts - 1);
inline constexpr double kMaxImperisimScale = 1e6;  // so that no number of a packet becomes infinite

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
             .max = kLastImperisimPort,
             .doc = "Motor of the packet: 0–3 motors, 4–7 servos, 8–10 locomotion, 11–13 low-side drivers.",
             .required = true});
  v.text("actuator", c.actuator, {.doc = "A <trajectory> motor by its name.", .required = true});
  v.number("scale", c.scale,
           {.unit = "rad or m",
            .min = -kMaxImperisimScale,
            .max = kMaxImperisimScale,
            .doc = "Angle or way for one unit of the packet, such as one tick."});
  v.number("offset", c.offset,
           {.unit = "rad or m",
            .min = -kMaxImperisimScale,
            .max = kMaxImperisimScale,
            .doc = "Where the goal 0 is."});
  v.number("velocity", c.velocity,
           {.unit = "rad/s or m/s",
            .min = 0.0,
            .doc = "Speed towards goals, for servos, which are given none; that of the packet if omitted."});
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
  v.integer("port", c.port,
            {.min = 0,
             .max = kLastImperisimPort,
             .doc = "0–7 controller, 8 base, 9–12 cliffs, 13 wall.",
             .required = true});
  describe_source(v, c, "Signal; rounded and cut off to 16 bits.");
  describe_scale(v, c);
}

template <class V>
void describe(V& v, DigitalPort& c) {
  v.integer("port", c.port,
            {.min = 0,
             .max = kLastImperisimPort,
             .doc = "0–7 controller, 8–11 base, 12–13 bumpers.",
             .required = true});
  describe_source(v, c, "Signal; the packet has 1 from 0.5 on, else 0.");
}

template <class V>
void describe(V& v, CameraPort& c) {
  describe_source(v, c, "Signal; rounded and cut off to 16 bits.");
  describe_scale(v, c);
}

inline constexpr std::array<std::pair<std::string_view, ImperisimPeer::Field>, 3> kDeltaAxes = {
    {{"x", ImperisimPeer::Field::kDeltaX},
     {"y", ImperisimPeer::Field::kDeltaY},
     {"theta", ImperisimPeer::Field::kDeltaTheta}}};

struct DeltaPort {
  ImperisimPeer::Field axis = ImperisimPeer::Field::kDeltaX;
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
  ConnectionTiming timing{.silence = Silence::kHold};
  std::vector<MotorPort> motors;
  std::vector<SensorPort> analogs;
  std::vector<DigitalPort> digitals;
  std::optional<CameraPort> camera;
  std::vector<DeltaPort> deltas;
};

/// Of the attribute, by the table of transports.
std::string_view imperisim_address_doc();

template <class V>
void describe(V& v, ImperisimConfig& c) {
  v.text("address", c.address, {.doc = imperisim_address_doc(), .required = true});
  describe(v, c.timing);
  v.children("motor_port", c.motors, {.doc = "A motor of the packet that drives something."});
  v.children("analog_port", c.analogs, {.doc = "An analog port; one without signal reads 0."});
  v.children("digital_port", c.digitals, {.doc = "A digital port; one without signal reads 0."});
  v.child("camera_port", c.camera, {.doc = "What track_x(0, 0) reads."});
  v.children("odometry", c.deltas, {.doc = "How far the robot has moved in the segment."});
}

std::unique_ptr<Connection> make_imperisim(const ImperisimConfig& config, BuildContext& context);

}  // namespace lockstep
