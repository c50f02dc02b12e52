// Any received bytes, as a stream and as datagrams: the reader returns valid messages and a count of bad ones,
// the same for any split of the bytes.
//
// Almost every mutation breaks a checksum and would be dropped there, so if the first byte is odd the checksums
// are corrected before the reader gets the rest. Its other bits select how the bytes are split.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "connection/handshake.h"
#include "connection/message.h"
#include "lockstep/error.h"

namespace {

using namespace lockstep;

constexpr std::size_t kMaxFuzzPayload = 4096;

void repair_checksums(std::span<std::uint8_t> bytes) {
  for (std::size_t at = 0; at + kMessageOverhead <= bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at + 8, 4);
    if (std::memcmp(bytes.data() + at, "LKS1", 4) != 0 || length > bytes.size() - at - kMessageOverhead) {
      ++at;
      continue;
    }
    const std::uint32_t crc = calc_crc32(bytes.subspan(at, kMessageHeader + length));
    std::memcpy(bytes.data() + at + kMessageHeader + length, &crc, 4);
    at += kMessageOverhead + length;
  }
}

/// Encoding what was decoded gives the same bytes.
void check_payload(const Message& message) {
  const auto same = [&](const std::vector<std::uint8_t>& bytes) {
    return std::equal(bytes.begin(), bytes.end(), message.payload.begin(), message.payload.end());
  };
  if (message.type == MessageType::kHello) {
    const auto hello = decode_hello(message.payload);
    if (!hello) return;
    LOCKSTEP_CHECK(hello->version != kProtocolVersion || same(encode_hello(*hello)));
    ConnectionSchema schema;
    schema.reads = {{"a", "m"}, {"b", ""}};
    const auto mismatch = find_mismatch(*hello, schema);
    LOCKSTEP_CHECK(!mismatch || !mismatch->sentence.empty());
  } else if (message.type == MessageType::kWelcome) {
    const auto welcome = decode_welcome(message.payload);
    if (welcome && welcome->version == kProtocolVersion && welcome->hash == calc_schema_hash(welcome->schema))
      LOCKSTEP_CHECK(same(encode_welcome(welcome->schema)));
  } else if (message.type == MessageType::kError || message.type == MessageType::kBye) {
    const auto notice = decode_notice(message.payload);
    LOCKSTEP_CHECK(!notice || same(encode_notice(*notice)));
  }
}

struct Outcome {
  std::int64_t good = 0;
  std::int64_t bad = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome read_stream(std::span<const std::uint8_t> bytes, std::size_t piece) {
  MessageReader reader(MessageReader::Mode::kStream, kMaxFuzzPayload);
  Outcome outcome;
  while (!bytes.empty()) {
    const auto space = reader.space();
    const std::size_t count = std::min({piece, bytes.size(), space.size()});
    LOCKSTEP_CHECK(count > 0);
    std::memcpy(space.data(), bytes.data(), count);
    reader.received(count);
    bytes = bytes.subspan(count);
    Message message;
    for (; reader.next(message); ++outcome.good) {
      std::vector<std::uint8_t> again(message.bytes.size());
      encode_message(message, again);
      LOCKSTEP_CHECK(std::equal(again.begin(), again.end(), message.bytes.begin()));
      check_payload(message);
    }
  }
  outcome.bad = reader.bad();
  Message message;
  reader.abandon();
  while (reader.next(message)) continue;
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::uint8_t> bytes(data + 1, data + size);
  if ((data[0] & 1) != 0) repair_checksums(bytes);
  LOCKSTEP_CHECK(read_stream(bytes, std::size_t{data[0]} / 2 + 1) == read_stream(bytes, kMaxFuzzPayload));

  MessageReader reader(MessageReader::Mode::kBoundaries, kMaxFuzzPayload);
  const std::size_t count = std::min(bytes.size(), reader.space().size());
  if (count > 0) std::memcpy(reader.space().data(), bytes.data(), count);
  reader.received(count);
  Message message;
  const bool is_good = reader.next(message);
  LOCKSTEP_CHECK(reader.bad() == (is_good || count == 0 ? 0 : 1));
  return 0;
}
