#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// The two packets of ImperiSim 2.0, byte for byte (docs/imperisim.md): packed, little-endian, without length
/// or checksum. In each segment the robot program sends a motor packet, and gets a sensor packet when the
/// segment has been simulated.
namespace lockstep {

inline constexpr std::size_t kImperisimPorts = 14;
inline constexpr std::size_t kImperisimMotorsBytes = 1 + kImperisimPorts * 17;
inline constexpr std::size_t kImperisimSensorsBytes = 1 + kImperisimPorts * 2 + kImperisimPorts * 4 + 2 + 3 * 8;
static_assert(kImperisimMotorsBytes == 239 && kImperisimSensorsBytes == 111);

/// Command for one motor.
struct ImperisimMotor {
  double velocity = 0.0;
  double goal = 0.0;
  bool has_goal = false;  ///< without a goal it turns endlessly
};

/// Ports 0–3 are motors of the controller, 4–7 its servos, 8–10 locomotion, 11–13 low-side drivers.
struct ImperisimMotors {
  bool terminate = false;  ///< the program ends
  std::array<ImperisimMotor, kImperisimPorts> motors;
};

struct ImperisimSensors {
  bool terminate = false;                                ///< the simulation ends
  std::array<std::int16_t, kImperisimPorts> analogs{};   ///< 0–7 controller, 8–13 base
  std::array<std::int32_t, kImperisimPorts> digitals{};  ///< 0–7 controller, 8–13 base
  std::int16_t camera_x = 0;
  std::array<double, 3> delta{};  ///< of x, y and theta over the segment
};

/// Decodes a motor packet. Returns the error and leaves `motors` unchanged; empty on success. Flags must be 0
/// or 1, numbers finite and at most kImperisimMaxNumber in magnitude: misaligned bytes hardly ever satisfy
/// this.
std::string decode_imperisim(std::span<const std::uint8_t, kImperisimMotorsBytes> bytes,
                             ImperisimMotors& motors);
inline constexpr double kImperisimMaxNumber = 1e9;

void encode_imperisim(const ImperisimSensors& sensors, std::span<std::uint8_t, kImperisimSensorsBytes> bytes);

}  // namespace lockstep
