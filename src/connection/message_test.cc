#include "connection/message.h"

#include <checksum.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include "lockstep/state.h"

namespace lockstep {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Crc32, HasThePublishedCheckValue) {
  EXPECT_EQ(calc_crc32(bytes_of("123456789")), 0xCBF43926u);
  EXPECT_EQ(calc_crc32({}), 0u);
  EXPECT_EQ(calc_crc32(bytes_of("The quick brown fox jumps over the lazy dog")), 0x414FA339u);
}

/// Bit by bit, from the definition.
std::uint32_t calc_crc32_slowly(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

TEST(Crc32, MatchesItsDefinitionForAnyLengthAndAlignmentWithAndWithoutCarrylessMultiply) {
  Random random(1, "bytes");
  std::array<std::uint8_t, 320> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(256.0 * random.uniform());
  lks_crc plain{};
  lks_crc_make(&plain);
  plain.can_fold = 0;
  for (std::size_t length = 0; length <= 300; ++length) {
    const auto some = std::span<const std::uint8_t>(bytes).subspan(length % 17, length);
    ASSERT_EQ(calc_crc32(some), calc_crc32_slowly(some)) << length;
    ASSERT_EQ(lks_crc_of(&plain, some.data(), some.size()), calc_crc32(some)) << length;
  }
}

TEST(MessageReader, AbandonsAnIncompleteMessage) {
  std::array<std::uint8_t, kMessageOverhead + 8> whole{};
  const std::array<double, 1> number = {1.5};
  encode_numbers(MessageType::kCommand, 3, Duration(9), number, whole);
  MessageReader reader(MessageReader::Mode::kStream);
  const auto feed = [&](std::span<const std::uint8_t> bytes) {
    std::memcpy(reader.space().data(), bytes.data(), bytes.size());
    reader.received(bytes.size());
  };
  Message message;
  feed(std::span(whole).first(30));
  EXPECT_FALSE(reader.next(message));
  EXPECT_TRUE(reader.is_incomplete());
  reader.abandon();
  EXPECT_FALSE(reader.next(message));
  EXPECT_EQ(reader.bad(), 1);
  feed(whole);
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(message.sequence, 3u);
  EXPECT_EQ(reader.bad(), 1);
}

TEST(MessageReader, RejectsAPayloadBeyondItsLimitWithoutWaitingForIt) {
  std::vector<std::uint8_t> bytes(kMessageOverhead + 104);
  encode_message({.type = MessageType::kCommand, .payload = std::vector<std::uint8_t>(104)}, bytes);
  MessageReader reader(MessageReader::Mode::kStream, 100);
  std::memcpy(reader.space().data(), bytes.data(), kMessageHeader);
  reader.received(kMessageHeader);
  Message message;
  EXPECT_FALSE(reader.next(message));
  EXPECT_EQ(reader.bad(), 1);
}

TEST(MessageReader, FindsEveryMessageOfAStreamInPiecesOfAnySize) {
  Random random(1, "pieces");
  MessageReader reader(MessageReader::Mode::kStream, 4096);
  std::vector<std::uint8_t> stream;
  constexpr std::uint32_t kMessages = 2000;
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    std::vector<std::uint8_t> bytes(kMessageOverhead + (i * 37) % 4097);
    encode_message({.type = MessageType::kCommand,
                    .sequence = i,
                    .payload = std::vector<std::uint8_t>(bytes.size() - kMessageOverhead, 0x4C)},
                   bytes);
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  std::uint32_t expected = 0;
  for (std::size_t at = 0; at < stream.size();) {
    const auto space = reader.space();
    const auto piece = static_cast<std::size_t>(1.0 + 5000.0 * random.uniform());
    const std::size_t count = std::min({piece, space.size(), stream.size() - at});
    ASSERT_GT(count, 0u);
    std::memcpy(space.data(), stream.data() + at, count);
    reader.received(count);
    at += count;
    Message message;
    while (reader.next(message)) ASSERT_EQ(message.sequence, expected++);
  }
  EXPECT_EQ(expected, kMessages);
  EXPECT_EQ(reader.bad(), 0);
}

}  // namespace
}  // namespace lockstep
