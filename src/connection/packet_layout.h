#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "connection/number_format.h"

/// Fixed byte layouts of packets of other programs (docs/packets.md): plain structs of numbers, bits, constants, texts,
/// counters and checksums.
namespace lockstep {

enum class ChecksumKind : std::uint8_t {
  kSum8,         ///< sum of all bytes before it, modulo 256
  kXor8,         ///< exclusive or of them
  kCrc16Modbus,  ///< reflected polynomial A001, start FFFF
  kCrc16Ccitt,   ///< polynomial 1021, start FFFF
  kCrc32,        ///< as in zlib, PNG and Ethernet
};

inline constexpr std::array<std::pair<std::string_view, ChecksumKind>, 5> kChecksumKinds = {
    {{"sum8", ChecksumKind::kSum8},
     {"xor8", ChecksumKind::kXor8},
     {"crc16-modbus", ChecksumKind::kCrc16Modbus},
     {"crc16-ccitt", ChecksumKind::kCrc16Ccitt},
     {"crc32", ChecksumKind::kCrc32}}};

std::size_t size_of(ChecksumKind kind);
std::uint32_t calc_checksum(ChecksumKind kind, std::span<const std::uint8_t> bytes);

/// One part of a packet. What it contains is given by `content`:
struct PacketField {
  enum class Content : std::uint8_t {
    kNumber,    ///< one signal
    kBits,      ///< several signals, one bit each: 1 if the signal is at least 0.5
    kConstant,  ///< always the same integer; a received packet with another is bad
    kText,      ///< fixed bytes; the same
    kPadding,   ///< zeros; anything when received
    kCounter,   ///< number of the packet, modulo its size
    kEcho,      ///< received: the counter of the packet that it answers
    kChecksum,  ///< of all bytes before it
  };
  struct Bit {
    unsigned position = 0;  ///< 0 is the least significant
    std::size_t value = 0;  ///< index of its signal
  };

  Content content = Content::kNumber;
  std::string label;      ///< for errors: "elbow/angle"
  NumberFormat format;    ///< of numbers; type and byte order of all integers
  std::size_t value = 0;  ///< index of the signal of a number
  std::vector<Bit> bits{};
  std::uint64_t constant = 0;
  std::string text{};       ///< of kText, padded to its size
  std::size_t padding = 0;  ///< bytes
  ChecksumKind checksum = ChecksumKind::kCrc32;

  std::size_t size() const;  ///< bytes
};

/// A packet: fields one after the other, without gaps.
class PacketLayout {
 public:
  PacketLayout() = default;
  explicit PacketLayout(std::vector<PacketField> fields);

  std::size_t size() const { return size_; }
  const std::vector<PacketField>& fields() const { return fields_; }
  /// The constant bytes at its start: how the next packet is found in a stream after a bad one. May be empty.
  std::span<const std::uint8_t> prefix() const { return prefix_; }

  void encode(std::span<const double> values, std::uint64_t counter, std::span<std::uint8_t> bytes) const;

  struct Decoded {
    std::string
        error;  ///< "FIELD is 3; expected 0 or 1"; empty if the packet is good, else nothing has changed
    bool is_stale = false;  ///< good, but its echo is that of another packet
  };
  /// Decodes size() bytes into `values`, which change only if all fields are good and none is stale.
  Decoded decode(std::span<const std::uint8_t> bytes, std::uint64_t counter, std::span<double> values) const;

 private:
  std::string find_error(const PacketField& field, std::span<const std::uint8_t> place,
                         std::span<const std::uint8_t> before, std::uint64_t counter, bool& is_stale) const;
  void take_values(std::span<const std::uint8_t> bytes, std::span<double> values) const;

  std::vector<PacketField> fields_;
  std::size_t size_ = 0;
  std::vector<std::uint8_t> prefix_;
  std::size_t value_count_ = 0;
};

}  // namespace lockstep
