#include "connection/message.h"

#include <checksum.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "lockstep/error.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "the protocol is little-endian");

constexpr std::array<std::uint8_t, 4> kMessageMagic = {'L', 'K', 'S', '1'};
/// Minimum buffer of a reader of small messages.
constexpr std::size_t kMinBuffer = 4096;

template <typename T>
T load(std::span<const std::uint8_t> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

template <typename T>
void store(std::span<std::uint8_t> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

/// Whether the bytes are a prefix of the magic or start with it.
bool begins_as_magic(std::span<const std::uint8_t> bytes) {
  return std::memcmp(bytes.data(), kMessageMagic.data(), std::min(bytes.size(), kMessageMagic.size())) == 0;
}

}  // namespace

std::uint32_t calc_crc32(std::span<const std::uint8_t> bytes) {
  static const lks_crc crc = [] {
    lks_crc made;
    lks_crc_make(&made);
    return made;
  }();
  return lks_crc_of(&crc, bytes.data(), bytes.size());
}

std::span<const std::uint8_t> encode_message(const Message& message, std::span<std::uint8_t> out) {
  const std::size_t length = message.payload.size();
  LOCKSTEP_CHECK(length <= kMaxPayload && length + kMessageOverhead <= out.size());
  std::memcpy(out.data(), kMessageMagic.data(), kMessageMagic.size());
  store(out, 4, static_cast<std::uint16_t>(message.type));
  store(out, 6, message.session);
  store(out, 8, static_cast<std::uint32_t>(length));
  store(out, 12, message.sequence);
  store(out, 16, static_cast<std::int64_t>(message.time.count()));
  if (length > 0 && message.payload.data() != out.data() + kMessageHeader)
    std::memcpy(out.data() + kMessageHeader, message.payload.data(), length);
  store(out, kMessageHeader + length, calc_crc32(out.first(kMessageHeader + length)));
  return out.first(kMessageOverhead + length);
}

std::span<const std::uint8_t> encode_numbers(MessageType type, std::uint32_t sequence, Duration time,
                                             std::span<const double> numbers, std::span<std::uint8_t> out,
                                             std::uint16_t session) {
  const std::span<const std::uint8_t> payload(reinterpret_cast<const std::uint8_t*>(numbers.data()),
                                              numbers.size_bytes());
  return encode_message(
      {.type = type, .session = session, .sequence = sequence, .time = time, .payload = payload}, out);
}

void decode_numbers(std::span<const std::uint8_t> payload, std::span<double> numbers) {
  LOCKSTEP_CHECK(payload.size() == numbers.size_bytes());
  if (!payload.empty()) std::memcpy(numbers.data(), payload.data(), payload.size());
}

MessageVerdict decode_message(std::span<const std::uint8_t> bytes, Message& message, std::size_t max_payload) {
  if (!begins_as_magic(bytes)) return MessageVerdict::kBad;
  if (bytes.size() < kMessageHeader) return MessageVerdict::kIncomplete;
  const auto type = load<std::uint16_t>(bytes, 4);
  const std::size_t length = load<std::uint32_t>(bytes, 8);
  const bool is_known = type >= static_cast<std::uint16_t>(MessageType::kHello) &&
                        type <= static_cast<std::uint16_t>(MessageType::kBye);
  if (!is_known || length > max_payload) return MessageVerdict::kBad;
  if (bytes.size() < length + kMessageOverhead) return MessageVerdict::kIncomplete;
  if (load<std::uint32_t>(bytes, kMessageHeader + length) != calc_crc32(bytes.first(kMessageHeader + length)))
    return MessageVerdict::kBad;
  message = {.type = static_cast<MessageType>(type),
             .session = load<std::uint16_t>(bytes, 6),
             .sequence = load<std::uint32_t>(bytes, 12),
             .time = Duration(load<std::int64_t>(bytes, 16)),
             .payload = bytes.subspan(kMessageHeader, length),
             .bytes = bytes.first(kMessageOverhead + length)};
  return MessageVerdict::kGood;
}

const char* find_message_defect(std::span<const std::uint8_t> bytes, std::size_t max_payload) {
  if (!begins_as_magic(bytes)) return "bytes that are not a message";
  if (bytes.size() < kMessageHeader) return "an incomplete message";
  const auto type = load<std::uint16_t>(bytes, 4);
  if (type < static_cast<std::uint16_t>(MessageType::kHello) ||
      type > static_cast<std::uint16_t>(MessageType::kBye))
    return "a message of an unknown type";
  const std::size_t length = load<std::uint32_t>(bytes, 8);
  if (length > max_payload) return "a message that is too long";
  if (bytes.size() < length + kMessageOverhead) return "an incomplete message";
  Message message;
  return decode_message(bytes, message, max_payload) == MessageVerdict::kBad ? "a message with a wrong checksum"
                                                                             : "a datagram with extra bytes";
}

// A stream buffer holds two messages, so that bytes are moved at most once per message; a datagram buffer holds
// one byte more than the longest message, to detect one that is too long.
MessageReader::MessageReader(Mode mode, std::size_t max_payload)
    : mode_(mode),
      max_payload_(std::min(max_payload, kMaxPayload)),
      buffer_(mode == Mode::kBoundaries ? max_payload_ + kMessageOverhead + 1
                                        : std::max(2 * (max_payload_ + kMessageOverhead), kMinBuffer)) {}

std::span<std::uint8_t> MessageReader::space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (buffer_.size() - end_ < max_payload_ + kMessageOverhead) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return std::span(buffer_).subspan(end_);
}

bool MessageReader::next(Message& message) {
  if (mode_ == Mode::kBoundaries) return next_message(message);
  while (begin_ != end_) {
    if (!in_step_ && !find_magic()) return false;
    const auto verdict =
        decode_message(std::span(buffer_).subspan(begin_, end_ - begin_), message, max_payload_);
    if (verdict == MessageVerdict::kIncomplete) return false;
    if (verdict == MessageVerdict::kGood) {
      begin_ += message.bytes.size();
      return true;
    }
    drop(find_message_defect(std::span(buffer_).subspan(begin_, end_ - begin_), max_payload_));
  }
  return false;
}

bool MessageReader::next_message(Message& message) {
  if (begin_ == end_) return false;
  const std::span<const std::uint8_t> bytes = std::span(buffer_).subspan(begin_, end_ - begin_);
  begin_ = end_;
  if (decode_message(bytes, message, max_payload_) == MessageVerdict::kGood &&
      message.bytes.size() == bytes.size())
    return true;
  ++bad_;
  defect_ = find_message_defect(bytes, max_payload_);
  return false;
}

void MessageReader::abandon() {
  if (begin_ == end_) return;
  if (in_step_) {
    drop("an incomplete message");
  } else {
    begin_ = end_;
  }
}

void MessageReader::drop(const char* defect) {
  ++bad_;
  defect_ = defect;
  ++begin_;
  in_step_ = false;
}

/// Skips to the next magic or a prefix of it.
bool MessageReader::find_magic() {
  for (; begin_ != end_; ++begin_) {
    const void* found = std::memchr(buffer_.data() + begin_, kMessageMagic[0], end_ - begin_);
    if (found == nullptr) {
      begin_ = end_;
      return false;
    }
    begin_ = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - buffer_.data());
    const std::span<const std::uint8_t> rest = std::span(buffer_).subspan(begin_, end_ - begin_);
    if (!begins_as_magic(rest)) continue;
    in_step_ = rest.size() >= kMessageMagic.size();
    return in_step_;
  }
  return false;
}

}  // namespace lockstep
