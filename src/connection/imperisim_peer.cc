#include "connection/imperisim_peer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "connection/number_format.h"

namespace lockstep {
namespace {

using Field = ImperisimPeer::Field;

std::int16_t to_short(double value) {
  return static_cast<std::int16_t>(to_integer({.type = NumberType::kI16}, value));
}

/// Angle about z of the x axis of a frame, rad.
double heading_of(std::span<const double> wxyz) {
  const double w = wxyz[0], x = wxyz[1], y = wxyz[2], z = wxyz[3];
  return std::atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z));
}

class ImperisimCodec final : public PacketCodec {
 public:
  ImperisimCodec(std::vector<ImperisimPeer::Motor> motors, std::vector<ImperisimPeer::Sensor> sensors)
      : motors_(std::move(motors)), sensors_(std::move(sensors)) {}

  std::size_t out_size() const override { return kImperisimSensorsBytes; }
  std::size_t in_size() const override { return kImperisimMotorsBytes; }
  std::string_view in_name() const override { return "motor packet"; }
  void begin(std::span<const double> measured) override { last_.assign(measured.begin(), measured.end()); }

  void encode(std::span<const double> measured, std::uint32_t, bool is_last,
              std::span<std::uint8_t> bytes) override {
    if (!is_last && last_.size() != measured.size()) begin(measured);  // connected outside of an exchange
    ImperisimSensors sensors = make_sensors(is_last ? std::span<const double>(last_) : measured);
    sensors.terminate = is_last;
    encode_imperisim(sensors, bytes.first<kImperisimSensorsBytes>());
    if (!is_last) begin(measured);
  }

  Verdict decode(std::span<const std::uint8_t> bytes, std::uint32_t, std::span<double> commands,
                 std::string& problem) override {
    ImperisimMotors motors;
    problem = decode_imperisim(bytes.first<kImperisimMotorsBytes>(), motors);
    if (!problem.empty()) return Verdict::kBad;
    if (motors.terminate) return Verdict::kOver;
    for (std::size_t i = 0; i < motors_.size(); ++i) {
      const ImperisimPeer::Motor& motor = motors_[i];
      const ImperisimMotor& wanted = motors.motors[motor.port];
      commands[3 * i] = motor.scale * wanted.velocity;
      if (motor.velocity) commands[3 * i] = wanted.has_goal ? *motor.velocity : 0.0;
      commands[3 * i + 1] = motor.scale * wanted.goal + motor.offset;
      commands[3 * i + 2] = wanted.has_goal ? 1.0 : 0.0;
    }
    return Verdict::kGood;
  }

 private:
  ImperisimSensors make_sensors(std::span<const double> measured) const {
    ImperisimSensors made;
    std::optional<double> heading;  // at the previous packet
    for (const ImperisimPeer::Sensor& sensor : sensors_) {
      const double now = measured[sensor.first], before = last_[sensor.first];
      const double value = sensor.scale * now + sensor.offset;
      const double change = sensor.scale * (now - before);
      switch (sensor.field) {
        case Field::kAnalog:
          made.analogs[sensor.port] = to_short(value);
          break;
        case Field::kDigital:
          made.digitals[sensor.port] = now >= 0.5 ? 1 : 0;
          break;
        case Field::kCameraX:
          made.camera_x = to_short(value);
          break;
        case Field::kDeltaX:
          made.delta[0] = change;
          break;
        case Field::kDeltaY:
          made.delta[1] = change;
          break;
        case Field::kDeltaTheta:
          made.delta[2] = change;
          break;
        case Field::kHeading:
          heading = heading_of(std::span(last_).subspan(sensor.first, 4));
          // A segment is short: the robot turns by less than half a turn.
          made.delta[2] =
              sensor.scale *
              std::remainder(heading_of(measured.subspan(sensor.first, 4)) - *heading, 2.0 * std::numbers::pi);
          break;
      }
    }
    if (heading) {
      const double c = std::cos(*heading), s = std::sin(*heading);
      made.delta = {c * made.delta[0] + s * made.delta[1], c * made.delta[1] - s * made.delta[0],
                    made.delta[2]};
    }
    return made;
  }

  std::vector<ImperisimPeer::Motor> motors_;
  std::vector<ImperisimPeer::Sensor> sensors_;
  std::vector<double> last_;  // measurements of the last sensor packet
};

/// Sensors without an index have one number each, one after the other.
std::vector<ImperisimPeer::Sensor> with_indices(std::vector<ImperisimPeer::Sensor> sensors) {
  std::size_t next = 0;
  for (ImperisimPeer::Sensor& sensor : sensors) {
    sensor.first = next;
    next += sensor.field == Field::kHeading ? 4 : 1;
  }
  return sensors;
}

}  // namespace

ImperisimPeer::ImperisimPeer(Settings settings, Listen listen)
    : PacketPeer(
          {.program_first = true, .timeout = settings.timeout, .cancelled = std::move(settings.cancelled)},
          std::make_unique<ImperisimCodec>(std::move(settings.motors),
                                           with_indices(std::move(settings.sensors))),
          std::move(listen)) {}

}  // namespace lockstep
