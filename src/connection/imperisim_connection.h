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

/// A robot program that uses the protocol of ImperiSim 2.0 (docs/imperisim.md): maps the numbers of its packets
/// to signals.
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
  v.text("actuator", c.actuator, {.doc = "Name of a <trajectory> motor.", .required = true});
  v.number("scale", c.scale,
           {.unit = "rad or m",
            .min = -kMaxImperisimScale,
            .max = kMaxImperisimScale,
            .doc = "Angle or distance per unit of the packet, such as one tick."});
  v.number("offset", c.offset,
           {.unit = "rad or m",
            .min = -kMaxImperisimScale,
            .max = kMaxImperisimScale,
            .doc = "Position of the goal 0."});
  v.number("velocity", c.velocity,
           {.unit = "rad/s or m/s",
            .min = 0.0,
            .doc = "Speed towards goals, for servos, whose packets have none. Default: that of the packet."});
}

/// Source of a number of the sensor packet.
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
  v.number("scale", c.scale, {.doc = "The packet contains scale * signal (in SI units) + offset."});
  v.number("offset", c.offset, {.doc = "Value in the packet when the signal is 0."});
}

template <class V>
void describe(V& v, SensorPort& c) {
  v.integer("port", c.port,
            {.min = 0,
             .max = kLastImperisimPort,
             .doc = "0–7 controller, 8 base, 9–12 cliffs, 13 wall.",
             .required = true});
  describe_source(v, c, "Signal; rounded and clamped to 16 bits.");
  describe_scale(v, c);
}

template <class V>
void describe(V& v, DigitalPort& c) {
  v.integer("port", c.port,
            {.min = 0,
             .max = kLastImperisimPort,
             .doc = "0–7 controller, 8–11 base, 12–13 bumpers.",
             .required = true});
  describe_source(v, c, "Signal; the packet contains 1 if it is at least 0.5, else 0.");
}

template <class V>
void describe(V& v, CameraPort& c) {
  describe_source(v, c, "Signal; rounded and clamped to 16 bits.");
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
  v.choice("axis", c.axis, kDeltaAxes, {.doc = "Axis of the odometry.", .required = true});
  v.text("signal", c.signal,
         {.doc = "Signal; the packet contains its change since the previous packet.", .required = true});
  v.number("scale", c.scale, {.doc = "The packet contains scale * change (in SI units)."});
}

struct HeadingPort {
  std::string sensor;
  double scale = 1.0;
};

template <class V>
void describe(V& v, HeadingPort& c) {
  v.text("sensor", c.sensor, {.doc = "Name of a <pose> sensor of the robot.", .required = true});
  v.number("scale", c.scale,
           {.doc = "ThetaDelta is scale * change of the heading (in rad); 57.29578 gives degrees."});
}

struct ImperisimConfig {
  std::string address;
  ConnectionTiming timing{.silence = Silence::kHold};
  std::vector<MotorPort> motors;
  std::vector<SensorPort> analogs;
  std::vector<DigitalPort> digitals;
  std::optional<CameraPort> camera;
  std::vector<DeltaPort> deltas;
  std::optional<HeadingPort> heading;
  AccessConfig access;
};

/// Doc text of the attribute, from the table of transports.
std::string_view imperisim_address_doc();

template <class V>
void describe(V& v, ImperisimConfig& c) {
  v.text("address", c.address, {.doc = imperisim_address_doc(), .required = true});
  describe(v, c.timing);
  describe(v, c.access);
  v.children("motor_port", c.motors, {.doc = "A motor of the packet that drives an actuator."});
  v.children("analog_port", c.analogs, {.doc = "An analog port; ports without a signal read 0."});
  v.children("digital_port", c.digitals, {.doc = "A digital port; ports without a signal read 0."});
  v.child("camera_port", c.camera, {.doc = "Value that track_x(0, 0) returns."});
  v.children("odometry", c.deltas, {.doc = "Motion of the robot during the segment."});
  v.child(
      "heading", c.heading,
      {.doc =
           "Heading of the robot: gives ThetaDelta, and XDelta and YDelta along the axes of the robot (at the "
           "start of the segment) instead of the world."});
}

std::unique_ptr<Connection> make_imperisim(const ImperisimConfig& config, BuildContext& context);

}  // namespace lockstep
