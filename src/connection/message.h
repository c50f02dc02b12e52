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
inline constexpr std::size_t kMaxDatagram = 65'507;  ///< of a whole message on UDP

/// CRC-32 as zlib, PNG and Ethernet have it (reflected polynomial EDB88320).
std::uint32_t calc_crc32(std::span<const std::uint8_t> bytes);

/// One message. Borrowed: `payload` and `bytes` lie in the memory it was decoded from.
struct Message {
  MessageType type = MessageType::kHello;
  std::uint32_t sequence = 0;
  Duration time{0};  ///< simulated
  std::span<const std::uint8_t> payload;
  std::span<const std::uint8_t> bytes;  ///< all of it
};

/// Writes the message with `message.payload` to the start of `out`, which has room for payload +
/// kMessageOverhead, and returns what was written. The payload may already lie in its place, at
/// out[kMessageHeader].
std::span<const std::uint8_t> encode_message(const Message& message, std::span<std::uint8_t> out);

/// The same for a MEASUREMENT or a COMMAND.
std::span<const std::uint8_t> encode_numbers(MessageType type, std::uint32_t sequence, Duration time,
                                             std::span<const double> numbers, std::span<std::uint8_t> out);

/// Takes the numbers out of the payload of a MEASUREMENT or a COMMAND, whose size is that of `numbers`.
void decode_numbers(std::span<const std::uint8_t> payload, std::span<double> numbers);

enum class MessageVerdict { kGood, kIncomplete, kBad };

/// Judges the message that begins with the first of `bytes`; fills `message` if it is good. kIncomplete: good
/// so far.
MessageVerdict decode_message(std::span<const std::uint8_t> bytes, Message& message,
                              std::size_t max_payload = kMaxPayload);

/// Takes messages out of what a connection delivers, drops and counts the bad ones. Allocates only when made.
///
///     channel.receive(reader.space(), count, deadline);
///     reader.received(count);
///     while (reader.next(message)) …
class MessageReader {
 public:
  enum class Mode {
    kStream,      ///< messages follow each other; after a bad one the next magic is looked for
    kBoundaries,  ///< each received() is one message
  };

  /// A message with a longer payload than `max_payload` is bad.
  explicit MessageReader(Mode mode, std::size_t max_payload = kMaxPayload);

  /// Where the next bytes go: never empty if next() was called until it gave no more.
  std::span<std::uint8_t> space();
  void received(std::size_t count) { end_ += count; }

  /// The next good message, valid until space() or another next().
  bool next(Message& message);

  /// Gives up a message whose end does not come: it is bad, and what follows its first byte is looked at.
  void abandon();

  std::int64_t bad() const { return bad_; }              ///< messages dropped so far
  bool is_incomplete() const { return begin_ != end_; }  ///< after next(): some bytes wait for more

 private:
  bool next_message(Message& message);
  void drop();
  bool find_magic();

  Mode mode_;
  std::size_t max_payload_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // of the bytes not yet looked at
  std::size_t end_ = 0;
  bool in_step_ = true;  // a message is expected at begin_
  std::int64_t bad_ = 0;
};

}  // namespace lockstep
