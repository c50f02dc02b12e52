#include "connection/frame.h"

#include <checksum.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/error.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "the wire is little-endian");

constexpr std::array<std::uint8_t, 4> kFrameMagic = {'L', 'K', 'S', '1'};
/// Received at once by a reader of small frames.
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

/// The bytes are those of the magic, as far as they go.
bool begins_as_magic(std::span<const std::uint8_t> bytes) {
  return std::memcmp(bytes.data(), kFrameMagic.data(), std::min(bytes.size(), kFrameMagic.size())) == 0;
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

std::span<const std::uint8_t> encode_frame(const Frame& frame, std::span<std::uint8_t> out) {
  const std::size_t length = frame.payload.size();
  LOCKSTEP_CHECK(length <= kMaxPayload && length + kFrameOverhead <= out.size());
  std::memcpy(out.data(), kFrameMagic.data(), kFrameMagic.size());
  store(out, 4, static_cast<std::uint16_t>(frame.type));
  store(out, 6, std::uint16_t{0});
  store(out, 8, static_cast<std::uint32_t>(length));
  store(out, 12, frame.sequence);
  store(out, 16, static_cast<std::int64_t>(frame.time.count()));
  if (length > 0 && frame.payload.data() != out.data() + kFrameHeader)
    std::memcpy(out.data() + kFrameHeader, frame.payload.data(), length);
  store(out, kFrameHeader + length, calc_crc32(out.first(kFrameHeader + length)));
  return out.first(kFrameOverhead + length);
}

std::span<const std::uint8_t> encode_numbers(FrameType type, std::uint32_t sequence, Duration time,
                                             std::span<const double> numbers, std::span<std::uint8_t> out) {
  const std::span<const std::uint8_t> payload(reinterpret_cast<const std::uint8_t*>(numbers.data()),
                                              numbers.size_bytes());
  return encode_frame({.type = type, .sequence = sequence, .time = time, .payload = payload}, out);
}

void decode_numbers(std::span<const std::uint8_t> payload, std::span<double> numbers) {
  LOCKSTEP_CHECK(payload.size() == numbers.size_bytes());
  if (!payload.empty()) std::memcpy(numbers.data(), payload.data(), payload.size());
}

FrameVerdict decode_frame(std::span<const std::uint8_t> bytes, Frame& frame, std::size_t max_payload) {
  if (!begins_as_magic(bytes)) return FrameVerdict::kBad;
  if (bytes.size() < kFrameHeader) return FrameVerdict::kIncomplete;
  const auto type = load<std::uint16_t>(bytes, 4);
  const std::size_t length = load<std::uint32_t>(bytes, 8);
  const bool is_known = type >= static_cast<std::uint16_t>(FrameType::kHello) &&
                        type <= static_cast<std::uint16_t>(FrameType::kBye);
  if (!is_known || load<std::uint16_t>(bytes, 6) != 0 || length > max_payload) return FrameVerdict::kBad;
  if (bytes.size() < length + kFrameOverhead) return FrameVerdict::kIncomplete;
  if (load<std::uint32_t>(bytes, kFrameHeader + length) != calc_crc32(bytes.first(kFrameHeader + length)))
    return FrameVerdict::kBad;
  frame = {.type = static_cast<FrameType>(type),
           .sequence = load<std::uint32_t>(bytes, 12),
           .time = Duration(load<std::int64_t>(bytes, 16)),
           .payload = bytes.subspan(kFrameHeader, length),
           .bytes = bytes.first(kFrameOverhead + length)};
  return FrameVerdict::kGood;
}

// A stream has room for two frames, so that bytes are moved once per frame at most; a datagram for one byte
// more than the longest frame, so that one that is too long shows.
FrameReader::FrameReader(Mode mode, std::size_t max_payload)
    : mode_(mode),
      max_payload_(std::min(max_payload, kMaxPayload)),
      buffer_(mode == Mode::kMessages ? max_payload_ + kFrameOverhead + 1
                                      : std::max(2 * (max_payload_ + kFrameOverhead), kMinBuffer)) {}

std::span<std::uint8_t> FrameReader::space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (buffer_.size() - end_ < max_payload_ + kFrameOverhead) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return std::span(buffer_).subspan(end_);
}

bool FrameReader::next(Frame& frame) {
  if (mode_ == Mode::kMessages) return next_message(frame);
  while (begin_ != end_) {
    if (!in_step_ && !find_magic()) return false;
    const auto verdict = decode_frame(std::span(buffer_).subspan(begin_, end_ - begin_), frame, max_payload_);
    if (verdict == FrameVerdict::kIncomplete) return false;
    if (verdict == FrameVerdict::kGood) {
      begin_ += frame.bytes.size();
      return true;
    }
    drop();
  }
  return false;
}

bool FrameReader::next_message(Frame& frame) {
  if (begin_ == end_) return false;
  const std::span<const std::uint8_t> message = std::span(buffer_).subspan(begin_, end_ - begin_);
  begin_ = end_;
  if (decode_frame(message, frame, max_payload_) == FrameVerdict::kGood && frame.bytes.size() == message.size())
    return true;
  ++bad_;
  return false;
}

void FrameReader::abandon() {
  if (begin_ == end_) return;
  if (in_step_) {
    drop();
  } else {
    begin_ = end_;
  }
}

void FrameReader::drop() {
  ++bad_;
  ++begin_;
  in_step_ = false;
}

/// Skips to the next magic, or to what may become one.
bool FrameReader::find_magic() {
  for (; begin_ != end_; ++begin_) {
    const void* found = std::memchr(buffer_.data() + begin_, kFrameMagic[0], end_ - begin_);
    if (found == nullptr) {
      begin_ = end_;
      return false;
    }
    begin_ = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - buffer_.data());
    const std::span<const std::uint8_t> rest = std::span(buffer_).subspan(begin_, end_ - begin_);
    if (!begins_as_magic(rest)) continue;
    in_step_ = rest.size() >= kFrameMagic.size();
    return in_step_;
  }
  return false;
}

}  // namespace lockstep
