#include "connection/imperisim.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "the packets are little-endian");

/// Reads fields from a packet, one after the other.
class Cursor {
 public:
  explicit Cursor(const std::uint8_t* at) : at_(at) {}
  template <typename T>
  T take() {
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

 private:
  const std::uint8_t* at_;
};

template <typename T>
std::uint8_t* put(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof(T));
  return at + sizeof(T);
}

std::string find_error(const char* field, double value, std::size_t port) {
  if (!std::isfinite(value)) return fmt::format("the {} of motor {} is not a finite number", field, port);
  if (std::abs(value) > kImperisimMaxNumber) {
    return fmt::format("the {} of motor {} is {:g}; expected at most {:g} either way", field, port, value,
                       kImperisimMaxNumber);
  }
  return "";
}

}  // namespace

std::string decode_imperisim(std::span<const std::uint8_t, kImperisimMotorsBytes> bytes,
                             ImperisimMotors& motors) {
  Cursor cursor(bytes.data());
  ImperisimMotors decoded;
  const auto terminate = cursor.take<std::uint8_t>();
  if (terminate > 1) return fmt::format("the terminate flag is {}; expected 0 or 1", terminate);
  decoded.terminate = terminate == 1;
  for (std::size_t port = 0; port < kImperisimPorts; ++port) {
    ImperisimMotor& motor = decoded.motors[port];
    motor.velocity = cursor.take<double>();
    motor.goal = cursor.take<double>();
    const auto has_goal = cursor.take<std::uint8_t>();
    if (std::string error = find_error("velocity", motor.velocity, port); !error.empty()) return error;
    if (std::string error = find_error("goal", motor.goal, port); !error.empty()) return error;
    if (has_goal > 1) return fmt::format("the goal flag of motor {} is {}; expected 0 or 1", port, has_goal);
    motor.has_goal = has_goal == 1;
  }
  motors = decoded;
  return "";
}

void encode_imperisim(const ImperisimSensors& sensors, std::span<std::uint8_t, kImperisimSensorsBytes> bytes) {
  std::uint8_t* at = put(bytes.data(), static_cast<std::uint8_t>(sensors.terminate ? 1 : 0));
  for (const std::int16_t analog : sensors.analogs) at = put(at, analog);
  for (const std::int32_t digital : sensors.digitals) at = put(at, digital);
  at = put(at, sensors.camera_x);
  for (const double delta : sensors.delta) at = put(at, delta);
}

}  // namespace lockstep
