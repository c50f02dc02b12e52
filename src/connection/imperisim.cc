#include "connection/imperisim.h"

#include <fmt/format.h>

#include "connection/packet_layout.h"

namespace lockstep {
namespace {

using Content = PacketField::Content;

PacketField make_number(NumberType type, std::string label, std::size_t value,
                        double max = kImperisimMaxNumber) {
  return {.content = Content::kNumber,
          .label = std::move(label),
          .format = {.type = type, .max = max},
          .value = value};
}

/// KissSimToSolidWorksPacket as printed in the paper.
PacketLayout make_motor_layout() {
  std::vector<PacketField> fields = {make_number(NumberType::kBool, "the terminate flag", 0)};
  for (std::size_t port = 0; port < kImperisimPorts; ++port) {
    const std::size_t first = 1 + 3 * port;
    fields.push_back(make_number(NumberType::kF64, fmt::format("the velocity of motor {}", port), first));
    fields.push_back(make_number(NumberType::kF64, fmt::format("the goal of motor {}", port), first + 1));
    fields.push_back(make_number(NumberType::kBool, fmt::format("the goal flag of motor {}", port), first + 2));
  }
  return PacketLayout(std::move(fields));
}

/// SolidWorksToKissSimPacket.
PacketLayout make_sensor_layout() {
  std::vector<PacketField> fields = {make_number(NumberType::kBool, "the terminate flag", 0)};
  std::size_t value = 1;
  const auto add = [&](NumberType type, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) fields.push_back(make_number(type, "", value++));
  };
  add(NumberType::kI16, kImperisimPorts);
  add(NumberType::kI32, kImperisimPorts);
  add(NumberType::kI16, 1);
  add(NumberType::kF64, 3);
  return PacketLayout(std::move(fields));
}

}  // namespace

std::string decode_imperisim(std::span<const std::uint8_t, kImperisimMotorsBytes> bytes,
                             ImperisimMotors& motors) {
  static const PacketLayout kLayout = make_motor_layout();
  std::array<double, 1 + 3 * kImperisimPorts> numbers{};
  if (const auto decoded = kLayout.decode(bytes, 0, numbers); !decoded.error.empty()) return decoded.error;
  motors.terminate = numbers[0] != 0.0;
  for (std::size_t port = 0; port < kImperisimPorts; ++port) {
    const double* first = &numbers[1 + 3 * port];
    motors.motors[port] = {.velocity = first[0], .goal = first[1], .has_goal = first[2] != 0.0};
  }
  return "";
}

void encode_imperisim(const ImperisimSensors& sensors, std::span<std::uint8_t, kImperisimSensorsBytes> bytes) {
  static const PacketLayout kLayout = make_sensor_layout();
  std::vector<double> numbers = {sensors.terminate ? 1.0 : 0.0};
  numbers.insert(numbers.end(), sensors.analogs.begin(), sensors.analogs.end());
  numbers.insert(numbers.end(), sensors.digitals.begin(), sensors.digitals.end());
  numbers.push_back(sensors.camera_x);
  numbers.insert(numbers.end(), sensors.delta.begin(), sensors.delta.end());
  kLayout.encode(numbers, 0, bytes);
}

}  // namespace lockstep
