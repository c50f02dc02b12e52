#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection/access.h"
#include "connection/connection_timing.h"
#include "connection/packet_layout.h"
#include "lockstep/fields.h"

/// A controller that exchanges plain structs (docs/packets.md): maps signals to the bytes of its packets.
namespace lockstep {

class BuildContext;

/// What the type of a field can be: a number, or something of its own size.
enum class FieldType : std::uint8_t {
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF32,
  kF64,
  kBool,  // in the order of NumberType
  kText,
  kPadding,
  kSum8,
  kXor8,
  kCrc16Modbus,
  kCrc16Ccitt,
  kCrc32,
};
inline constexpr std::array<std::pair<std::string_view, FieldType>, 18> kFieldTypes = {
    {{"i8", FieldType::kI8},
     {"i16", FieldType::kI16},
     {"i32", FieldType::kI32},
     {"i64", FieldType::kI64},
     {"u8", FieldType::kU8},
     {"u16", FieldType::kU16},
     {"u32", FieldType::kU32},
     {"u64", FieldType::kU64},
     {"f32", FieldType::kF32},
     {"f64", FieldType::kF64},
     {"bool", FieldType::kBool},
     {"text", FieldType::kText},
     {"padding", FieldType::kPadding},
     {"sum8", FieldType::kSum8},
     {"xor8", FieldType::kXor8},
     {"crc16-modbus", FieldType::kCrc16Modbus},
     {"crc16-ccitt", FieldType::kCrc16Ccitt},
     {"crc32", FieldType::kCrc32}}};

enum class FieldContent : std::uint8_t { kSignal, kConstant, kCounter, kEcho };
inline constexpr std::array<std::pair<std::string_view, FieldContent>, 4> kFieldContents = {
    {{"signal", FieldContent::kSignal},
     {"constant", FieldContent::kConstant},
     {"counter", FieldContent::kCounter},
     {"echo", FieldContent::kEcho}}};

inline constexpr double kMaxPacketBytes = 65'507.0;  // of a UDP datagram
inline constexpr double kMaxPacketScale = 1e12;      // so that no integer becomes infinite

struct BitConfig {
  std::int64_t position = 0;
  std::string signal;
};

template <class V>
void describe(V& v, BitConfig& c) {
  v.integer("position", c.position,
            {.min = 0, .max = 63, .doc = "Bit of the integer; 0 is the least significant.", .required = true});
  v.text("signal", c.signal, {.doc = "Signal; the bit is 1 if it is at least 0.5.", .required = true});
}

struct CodeConfig {
  std::string name;
  std::int64_t code = 0;
  double value = 0.0;
};

template <class V>
void describe(V& v, CodeConfig& c) {
  v.name("name", c.name, {.doc = "Name of the code, for error texts.", .required = true});
  v.integer("code", c.code, {.doc = "Integer in the packet.", .required = true});
  v.number("value", c.value, {.unit = "any", .doc = "Value of the signal.", .required = true});
}

struct FieldConfig {
  FieldType type = FieldType::kF64;
  FieldContent content = FieldContent::kSignal;
  std::string signal;
  double scale = 1.0;
  double offset = 0.0;
  std::int64_t constant = 0;
  std::string text;
  std::int64_t bytes = 0;
  std::vector<BitConfig> bits;
  std::vector<CodeConfig> codes;
};

template <class V>
void describe(V& v, FieldConfig& c) {
  v.choice("type", c.type, kFieldTypes,
           {.doc = "Number, fixed text, padding, or a checksum of all bytes before it.", .required = true});
  v.choice(
      "content", c.content, kFieldContents,
      {.doc =
           "What a number contains. signal: that of 'signal', or bits. constant: always the same. counter: the "
           "number of the packet. echo: in <receive>, the counter of the packet that it answers."});
  v.text("signal", c.signal, {.doc = "Signal that is sent, or command that is received."});
  v.number("scale", c.scale,
           {.unit = "any",
            .min = -kMaxPacketScale,
            .max = kMaxPacketScale,
            .doc = "signal = scale * number + offset, in both directions."});
  v.number("offset", c.offset,
           {.unit = "any",
            .min = -kMaxPacketScale,
            .max = kMaxPacketScale,
            .doc = "Value of the signal when the number is 0."});
  v.integer("constant", c.constant, {.doc = "Number of a constant; a received packet with another is bad."});
  v.text("text", c.text, {.doc = "Content of a fixed text."});
  v.integer("bytes", c.bytes,
            {.min = 0,
             .max = kMaxPacketBytes,
             .doc = "Size of padding, or of a text, which is filled up with zeros."});
  v.children("bit", c.bits, {.doc = "Signals as single bits of an integer."});
  v.children("code", c.codes, {.doc = "An enumeration: what the integer can be. Others are bad."});
  v.check(c.scale != 0.0, "scale", "is 0; expected another number");
}

struct PacketSide {
  std::vector<FieldConfig> fields;
};

template <class V>
void describe(V& v, PacketSide& c) {
  v.children("field", c.fields, {.doc = "A field of the packet; they follow each other without gaps."});
}

inline constexpr std::array<std::pair<std::string_view, ByteOrder>, 2> kByteOrders = {
    {{"little", ByteOrder::kLittle}, {"big", ByteOrder::kBig}}};
inline constexpr std::array<std::pair<std::string_view, bool>, 2> kFirstSenders = {
    {{"simulation", false}, {"controller", true}}};

struct PacketConfig {
  std::string address;
  ConnectionTiming timing;
  ByteOrder byte_order = ByteOrder::kLittle;
  bool controller_first = false;
  bool connect = false;
  AccessConfig access;
  std::int64_t baud = 115'200;
  std::optional<PacketSide> sent;
  std::optional<PacketSide> received;
};

/// Doc text of the attribute, from the table of transports.
std::string_view packet_address_doc();

template <class V>
void describe(V& v, PacketConfig& c) {
  v.text("address", c.address, {.doc = packet_address_doc(), .required = true});
  describe(v, c.timing);
  v.choice("byte_order", c.byte_order, kByteOrders, {.doc = "Byte order of all numbers."});
  v.choice(
      "first", c.controller_first, kFirstSenders,
      {.doc =
           "Who sends first. simulation: it sends a packet and gets the answer. controller: it sends a packet, "
           "and gets that of the simulation one period later."});
  v.flag(
      "connect", c.connect,
      {.doc =
           "The simulation connects to the address, where the controller listens: TCP, UDP or Unix sockets."});
  describe(v, c.access);
  v.integer("baud", c.baud, {.min = 9600, .max = 921'600, .doc = "Speed of a serial line."});
  v.child("send", c.sent, {.doc = "Packet to the controller."});
  v.child("receive", c.received, {.doc = "Packet from the controller."});
}

std::unique_ptr<Connection> make_packet(const PacketConfig& config, BuildContext& context);

}  // namespace lockstep
