// Any bytes from the wire, on a stream and as datagrams: good frames, whose payloads are something or nothing,
// and a count of bad ones; however the bytes are cut, the same.
//
// Almost every mutation breaks a checksum and would be dropped there, so if the first byte is odd the checksums
// are put right before the reader sees the rest. The other bits of it choose how the bytes are cut.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/error.h"
#include "connection/frame.h"
#include "connection/handshake.h"

namespace {

using namespace lockstep;

constexpr std::size_t kMaxFuzzPayload = 4096;

void repair_checksums(std::span<std::uint8_t> bytes) {
  for (std::size_t at = 0; at + kFrameOverhead <= bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at + 8, 4);
    if (std::memcmp(bytes.data() + at, "LKS1", 4) != 0 || length > bytes.size() - at - kFrameOverhead) {
      ++at;
      continue;
    }
    const std::uint32_t crc = calc_crc32(bytes.subspan(at, kFrameHeader + length));
    std::memcpy(bytes.data() + at + kFrameHeader + length, &crc, 4);
    at += kFrameOverhead + length;
  }
}

/// What is written again is what was read.
void check_payload(const Frame& frame) {
  const auto same = [&](const std::vector<std::uint8_t>& bytes) {
    return std::equal(bytes.begin(), bytes.end(), frame.payload.begin(), frame.payload.end());
  };
  if (frame.type == FrameType::kHello) {
    const auto hello = decode_hello(frame.payload);
    if (!hello) return;
    LOCKSTEP_CHECK(hello->version != kProtocolVersion || same(encode_hello(*hello)));
    LinkSchema schema;
    schema.reads = {{"a", "m"}, {"b", ""}};
    const auto mismatch = find_mismatch(*hello, schema);
    LOCKSTEP_CHECK(!mismatch || !mismatch->sentence.empty());
  } else if (frame.type == FrameType::kWelcome) {
    const auto welcome = decode_welcome(frame.payload);
    if (welcome && welcome->version == kProtocolVersion && welcome->hash == calc_schema_hash(welcome->schema))
      LOCKSTEP_CHECK(same(encode_welcome(welcome->schema)));
  } else if (frame.type == FrameType::kError || frame.type == FrameType::kBye) {
    const auto notice = decode_notice(frame.payload);
    LOCKSTEP_CHECK(!notice || same(encode_notice(*notice)));
  }
}

struct Outcome {
  std::int64_t good = 0;
  std::int64_t bad = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome read_stream(std::span<const std::uint8_t> bytes, std::size_t piece) {
  FrameReader reader(FrameReader::Mode::kStream, kMaxFuzzPayload);
  Outcome outcome;
  while (!bytes.empty()) {
    const auto space = reader.space();
    const std::size_t count = std::min({piece, bytes.size(), space.size()});
    LOCKSTEP_CHECK(count > 0);
    std::memcpy(space.data(), bytes.data(), count);
    reader.received(count);
    bytes = bytes.subspan(count);
    Frame frame;
    for (; reader.next(frame); ++outcome.good) {
      std::vector<std::uint8_t> again(frame.bytes.size());
      encode_frame(frame, again);
      LOCKSTEP_CHECK(std::equal(again.begin(), again.end(), frame.bytes.begin()));
      check_payload(frame);
    }
  }
  outcome.bad = reader.bad();
  Frame frame;
  reader.abandon();
  while (reader.next(frame)) continue;
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::uint8_t> bytes(data + 1, data + size);
  if ((data[0] & 1) != 0) repair_checksums(bytes);
  LOCKSTEP_CHECK(read_stream(bytes, std::size_t{data[0]} / 2 + 1) == read_stream(bytes, kMaxFuzzPayload));

  FrameReader reader(FrameReader::Mode::kMessages, kMaxFuzzPayload);
  const std::size_t count = std::min(bytes.size(), reader.space().size());
  if (count > 0) std::memcpy(reader.space().data(), bytes.data(), count);
  reader.received(count);
  Frame frame;
  const bool is_good = reader.next(frame);
  LOCKSTEP_CHECK(reader.bad() == (is_good || count == 0 ? 0 : 1));
  return 0;
}
