#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/time.h"

/// The messages of docs/protocol.md: 24 bytes of header, payload, checksum.
namespace lockstep {

enum class MessageType : std::uint16_t {
  kHello = 1,
  kWelcome = 2,
  kMeasurement = 3,
  kCommand = 4,
  kError = 5,
  kBye = 6,
};

inline constexpr std::size_t kMessageHeader = 24;
inline constexpr std::size_t kMessageOverhead = kMessageHeader + 4;  ///< header and checksum
inline constexpr std::size_t kMaxPayload = 1'048'576;
inline constexpr std::size_t kMaxDatagram = 65'507;  ///< bytes of a UDP datagram

/// CRC-32 as in zlib, PNG and Ethernet (reflected polynomial EDB88320).
std::uint32_t calc_crc32(std::span<const std::uint8_t> bytes);

/// One message. Borrowed: `payload` and `bytes` point into the decoded buffer.
struct Message {
  MessageType type = MessageType::kHello;
  std::uint16_t session = 0;  ///< 0: the controller does not use session numbers
  std::uint32_t sequence = 0;
  Duration time{0};  ///< simulated
  std::span<const std::uint8_t> payload;
  std::span<const std::uint8_t> bytes;  ///< all of it
};

/// Encodes a message into `out`, which must hold payload + kMessageOverhead bytes, and returns the written
/// bytes. The payload may already be in its place, at out[kMessageHeader].
std::span<const std::uint8_t> encode_message(const Message& message, std::span<std::uint8_t> out);

/// The same for a MEASUREMENT or a COMMAND.
std::span<const std::uint8_t> encode_numbers(MessageType type, std::uint32_t sequence, Duration time,
                                             std::span<const double> numbers, std::span<std::uint8_t> out,
                                             std::uint16_t session = 0);

/// Decodes the payload of a MEASUREMENT or COMMAND into `numbers`; the sizes must match.
void decode_numbers(std::span<const std::uint8_t> payload, std::span<double> numbers);

enum class MessageVerdict { kGood, kIncomplete, kBad };

/// Decodes the message at the start of `bytes`; fills `message` if it is valid. kIncomplete: valid so far.
MessageVerdict decode_message(std::span<const std::uint8_t> bytes, Message& message,
                              std::size_t max_payload = kMaxPayload);

/// Why bytes are not a message: the end of "received …".
const char* find_message_defect(std::span<const std::uint8_t> bytes, std::size_t max_payload = kMaxPayload);

/// Splits received bytes into messages; drops and counts bad ones. Allocates only in the constructor.
///
///     channel.receive(reader.space(), count, deadline);
///     reader.received(count);
///     while (reader.next(message)) …
class MessageReader {
 public:
  enum class Mode {
    kStream,      ///< a byte stream; after a bad message it searches for the next magic
    kBoundaries,  ///< each received() is one message
  };

  /// A message with a payload longer than `max_payload` is bad.
  explicit MessageReader(Mode mode, std::size_t max_payload = kMaxPayload);

  /// Buffer for the next bytes: never empty if next() was called until it returned false.
  std::span<std::uint8_t> space();
  void received(std::size_t count) { end_ += count; }

  /// The next valid message; borrowed until space() or another next().
  bool next(Message& message);

  /// Abandons an incomplete message: counts it as bad and searches the bytes after its first.
  void abandon();

  std::int64_t bad() const { return bad_; }              ///< messages dropped so far
  const char* defect() const { return defect_; }         ///< of the last one: the end of "received …"
  bool is_incomplete() const { return begin_ != end_; }  ///< after next(): an incomplete message is buffered

 private:
  bool next_message(Message& message);
  void drop(const char* defect);
  bool find_magic();

  Mode mode_;
  std::size_t max_payload_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // start of the unread bytes
  std::size_t end_ = 0;
  bool in_step_ = true;  // a message is expected at begin_
  std::int64_t bad_ = 0;
  const char* defect_ = "";
};

}  // namespace lockstep
