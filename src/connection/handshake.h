#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connection/connection.h"
#include "lockstep/time.h"

/// Handshake and end of a connection: the payloads of HELLO, WELCOME, ERROR and BYE (docs/protocol.md).
namespace lockstep {

inline constexpr std::uint32_t kProtocolVersion = 1;

struct WireSignal {
  std::string name;
  std::string unit;
};

struct WireCommand {
  std::string name;
  std::string unit;
  double initial = 0.0;
  double lower = 0.0;  ///< -infinity if there is none
  double upper = 0.0;
};

/// What a connection offers: the content of WELCOME.
struct ConnectionSchema {
  std::string scenario;
  std::string connection;
  Duration period{0};  ///< simulated, between two exchanges
  Duration step{0};    ///< of the physics
  ConnectionMode mode = ConnectionMode::kLockStep;
  std::vector<WireSignal> reads;    ///< by the controller: the numbers of a MEASUREMENT
  std::vector<WireCommand> writes;  ///< by the controller: the numbers of a COMMAND
};

/// FNV-1a over everything but the names of scenario and connection.
std::uint64_t calc_schema_hash(const ConnectionSchema& schema);

/// Codes of ERROR and BYE.
enum class NoticeCode : std::uint16_t {
  kVersion = 1,    ///< unsupported protocol version
  kDiffers = 2,    ///< the connection does not match HELLO
  kOccupied = 3,   ///< another controller is connected
  kMisfit = 4,     ///< unexpected or malformed message
  kNotFinite = 5,  ///< a number is not finite
  kRunOver = 6,    ///< BYE of the simulation
  kLeaves = 7,     ///< BYE of the controller
  kSilent = 8,     ///< the controller was silent for too long
  kToken = 9,      ///< the token in HELLO is missing or wrong
};

/// The payload of ERROR and BYE.
struct Notice {
  NoticeCode code{};
  std::string sentence;
};

struct Hello {
  std::uint32_t version = kProtocolVersion;
  std::uint64_t hash = 0;  ///< 0 accepts any
  Duration period{0};      ///< 0 accepts any
  std::string name;        ///< of the controller
  std::vector<WireSignal> reads;
  std::vector<WireSignal> writes;
  std::string token{};        ///< empty: none
  bool has_sessions = false;  ///< it copies session numbers; in the header of the message
};

struct Welcome {
  std::uint32_t version = kProtocolVersion;
  std::uint64_t hash = 0;
  ConnectionSchema schema;
};

/// Encode payloads. Texts are truncated to 65,535 bytes; more than 65,535 signals are a bug of the caller (see
/// find_schema_defect).
std::vector<std::uint8_t> encode_hello(const Hello& hello);
std::vector<std::uint8_t> encode_welcome(const ConnectionSchema& schema);
std::vector<std::uint8_t> encode_notice(const Notice& notice);

/// Decode payloads. Nullopt if the bytes are not exactly such a payload. The version is only read; the caller
/// checks whether it is supported, so a HELLO of another version may be nullopt or have unread bytes.
std::optional<Hello> decode_hello(std::span<const std::uint8_t> payload);
std::optional<Welcome> decode_welcome(std::span<const std::uint8_t> payload);
std::optional<Notice> decode_notice(std::span<const std::uint8_t> payload);

/// Why this controller does not match the connection; nullopt if it does. `token`: that it must have; empty if none.
std::optional<Notice> find_mismatch(const Hello& hello, const ConnectionSchema& schema,
                                    std::string_view token = "");

/// Why such a connection does not fit into messages of at most `max_message` bytes; empty if it does.
std::string find_schema_defect(const ConnectionSchema& schema, std::size_t max_message);

}  // namespace lockstep
