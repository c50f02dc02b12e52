// The mapping of signals to numbers, the layout of packets against structs of C, and packets over real channels.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#include "base/temporary_folder_testing.h"
#include "connection/packet_layout.h"
#include "connection/packet_peer.h"

namespace lockstep {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Content = PacketField::Content;
using std::chrono::milliseconds;
using std::chrono::seconds;

Bytes put(const NumberFormat& format, double signal) {
  Bytes bytes(size_of(format.type));
  put_number(format, signal, bytes);
  return bytes;
}

TEST(NumberFormat, IsTheOneOfTheComputer) {
  EXPECT_EQ(put({.type = NumberType::kI16}, -2.0), (Bytes{0xFE, 0xFF}));
  EXPECT_EQ(put({.type = NumberType::kI16, .order = ByteOrder::kBig}, -2.0), (Bytes{0xFF, 0xFE}));
  EXPECT_EQ(put({.type = NumberType::kF32, .order = ByteOrder::kBig}, 1.0), (Bytes{0x3F, 0x80, 0, 0}));
  EXPECT_EQ(put({.type = NumberType::kF64}, -0.75), (Bytes{0, 0, 0, 0, 0, 0, 0xE8, 0xBF}));
  EXPECT_EQ(put({.type = NumberType::kU32}, 4e9), (Bytes{0x00, 0x28, 0x6B, 0xEE}));
  EXPECT_EQ(put({.type = NumberType::kBool}, 0.5), Bytes{1});
  EXPECT_EQ(put({.type = NumberType::kBool}, 0.49), Bytes{0});
}

TEST(NumberFormat, IntegersAreRoundedAndLimited) {
  const NumberFormat tenths{.type = NumberType::kI8, .scale = 0.1, .offset = 20.0};
  EXPECT_EQ(to_integer(tenths, 21.26), 13);
  EXPECT_EQ(to_integer(tenths, 1e300), 127);
  EXPECT_EQ(to_integer(tenths, -1e300), -128);
  EXPECT_EQ(to_integer(tenths, std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(to_integer({.type = NumberType::kI64}, 1e300), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(to_integer({.type = NumberType::kU8}, -3.0), 0);
}

TEST(NumberFormat, EveryTypeReadsWhatItWrites) {
  for (const auto& [name, type] : kNumberTypes) {
    for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
      const NumberFormat format{.type = type, .order = order, .scale = type == NumberType::kBool ? 1.0 : 0.5};
      double signal = -1.0;
      EXPECT_EQ(take_number(format, put(format, 1.0), signal), "") << name;
      EXPECT_EQ(signal, 1.0) << name;
    }
  }
}

TEST(NumberFormat, WhatIsNotAValueIsRejectedWithAReason) {
  const auto error = [](const NumberFormat& format, const Bytes& bytes) {
    double signal = 42.0;
    const std::string text = take_number(format, bytes, signal);
    EXPECT_EQ(signal, 42.0);
    return text;
  };
  EXPECT_EQ(error({.type = NumberType::kBool}, {2}), "is 2; expected 0 or 1");
  EXPECT_EQ(error({.type = NumberType::kF32}, {0, 0, 0x80, 0x7F}), "is not a finite number");
  EXPECT_EQ(error({.type = NumberType::kF64, .scale = 10.0}, put({.type = NumberType::kF64}, 1e308)),
            "is 1e+308, which is not finite after its scale");
  const NumberFormat modes{.type = NumberType::kU8, .codes = {{"off", 0, 0.0}, {"run", 3, 1.0}}};
  EXPECT_EQ(error(modes, {1}), "is 1; expected 0 (off), 3 (run)");
  double signal = -1.0;
  EXPECT_EQ(take_number(modes, Bytes{3}, signal), "");
  EXPECT_EQ(signal, 1.0);
  EXPECT_EQ(put(modes, 0.9), Bytes{3});
}

TEST(Checksums, HaveTheirPublishedCheckValues) {
  const std::string digits = "123456789";
  const Bytes bytes(digits.begin(), digits.end());
  EXPECT_EQ(calc_checksum(ChecksumKind::kCrc16Modbus, bytes), 0x4B37u);
  EXPECT_EQ(calc_checksum(ChecksumKind::kCrc16Ccitt, bytes), 0x29B1u);
  EXPECT_EQ(calc_checksum(ChecksumKind::kCrc32, bytes), 0xCBF43926u);
  EXPECT_EQ(calc_checksum(ChecksumKind::kSum8, bytes), 0xDDu);
  EXPECT_EQ(calc_checksum(ChecksumKind::kXor8, bytes), 0x31u);
}

/// As a controller would declare it.
#pragma pack(push, 1)
struct Measurement {
  std::uint16_t magic;
  std::uint8_t count;
  std::int16_t angle;  // 0.001 rad
  float speed;
  std::uint8_t flags;  // bit 0: touch, bit 3: light
  char name[4];
  std::uint32_t crc;
};
struct Order {
  std::uint16_t magic;
  std::uint8_t count;   // of the measurement
  std::int16_t torque;  // 0.01 N*m
  std::uint8_t sum;
};
#pragma pack(pop)

PacketField number(std::size_t value, NumberFormat format, std::string label = "x") {
  return {.content = Content::kNumber, .label = std::move(label), .format = std::move(format), .value = value};
}

PacketLayout make_measurement() {
  return PacketLayout(
      {{.content = Content::kConstant, .format = {.type = NumberType::kU16}, .constant = 0xA55A},
       {.content = Content::kCounter, .format = {.type = NumberType::kU8}},
       number(0, {.type = NumberType::kI16, .scale = 0.001}),
       number(1, {.type = NumberType::kF32}),
       {.content = Content::kBits, .format = {.type = NumberType::kU8}, .bits = {{0, 2}, {3, 3}}},
       {.content = Content::kText, .text = std::string("arm\0", 4)},
       {.content = Content::kChecksum, .checksum = ChecksumKind::kCrc32}});
}

PacketLayout make_order() {
  return PacketLayout({{.content = Content::kConstant,
                        .label = "magic",
                        .format = {.type = NumberType::kU16},
                        .constant = 0x55AA},
                       {.content = Content::kEcho, .label = "count", .format = {.type = NumberType::kU8}},
                       number(0, {.type = NumberType::kI16, .scale = 0.01}, "torque"),
                       {.content = Content::kChecksum, .label = "sum", .checksum = ChecksumKind::kSum8}});
}

Bytes bytes_of(const auto& packet) {
  Bytes bytes(sizeof(packet));
  std::memcpy(bytes.data(), &packet, sizeof(packet));
  return bytes;
}

Bytes make_order_bytes(std::uint8_t count, std::int16_t torque) {
  Bytes bytes = bytes_of(Order{0x55AA, count, torque, 0});
  bytes.back() = static_cast<std::uint8_t>(std::accumulate(bytes.begin(), bytes.end() - 1, 0u));
  return bytes;
}

TEST(PacketLayout, IsAPackedStruct) {
  const PacketLayout layout = make_measurement();
  ASSERT_EQ(layout.size(), sizeof(Measurement));
  EXPECT_EQ(Bytes(layout.prefix().begin(), layout.prefix().end()), (Bytes{0x5A, 0xA5}));
  Bytes bytes(layout.size());
  layout.encode(std::vector<double>{0.25, -1.5, 1.0, 1.0}, 300, bytes);
  Measurement packet{};
  std::memcpy(&packet, bytes.data(), sizeof(packet));
  EXPECT_EQ(+packet.magic, 0xA55A);
  EXPECT_EQ(packet.count, 300 % 256);
  EXPECT_EQ(+packet.angle, 250);
  const float speed = packet.speed;
  EXPECT_EQ(speed, -1.5f);
  EXPECT_EQ(packet.flags, 0b1001);
  EXPECT_STREQ(packet.name, "arm");
  EXPECT_EQ(+packet.crc, calc_checksum(ChecksumKind::kCrc32, std::span(bytes).first(bytes.size() - 4)));
}

TEST(PacketLayout, APacketWithAnErrorChangesNothing) {
  const PacketLayout layout = make_order();
  std::vector<double> values = {7.0};
  EXPECT_EQ(layout.decode(make_order_bytes(5, -150), 5, values).error, "");
  EXPECT_EQ(values[0], -1.5);
  EXPECT_TRUE(layout.decode(make_order_bytes(4, 1), 5, values).is_stale);
  Bytes wrong = make_order_bytes(5, 1);
  wrong[0] ^= 1;
  EXPECT_EQ(layout.decode(wrong, 5, values).error, "magic is 0x55ab; expected 0x55aa");
  wrong = make_order_bytes(5, 1);
  wrong[4] ^= 1;
  EXPECT_EQ(layout.decode(wrong, 5, values).error, "sum is 0x5; expected 0x6");
  EXPECT_EQ(values[0], -1.5);
}

class OrderCodec final : public PacketCodec {
 public:
  std::size_t out_size() const override { return out_.size(); }
  std::size_t in_size() const override { return in_.size(); }
  std::span<const std::uint8_t> prefix() const override { return in_.prefix(); }
  void encode(std::span<const double> measured, std::uint32_t sequence, bool,
              std::span<std::uint8_t> bytes) override {
    out_.encode(measured, sequence, bytes);
  }
  Verdict decode(std::span<const std::uint8_t> bytes, std::uint32_t sequence, std::span<double> commands,
                 std::string& problem) override {
    const auto decoded = in_.decode(bytes, sequence, commands);
    problem = decoded.error;
    return !problem.empty() ? Verdict::kBad : decoded.is_stale ? Verdict::kStale : Verdict::kGood;
  }

 private:
  PacketLayout out_ = make_measurement(), in_ = make_order();
};

/// The controller's end of a channel: answers each measurement with -10 * angle, or as `answer` says.
using Answer = std::function<std::vector<Bytes>(const Measurement&)>;
std::vector<Bytes> answer_well(const Measurement& packet) {
  return {make_order_bytes(packet.count, static_cast<std::int16_t>(-packet.angle))};
}

class PacketThreads : public testing::Test {
 protected:
  void open(const std::string& text, bool connects = false, ConnectionMode mode = ConnectionMode::kLockStep,
            Duration timeout = seconds(20)) {
    std::string error;
    const Address address = parse_address(text, error, true).value();
    peer_.emplace(
        PacketPeer::Settings{
            .mode = mode, .keeps_boundaries = address.transport->keeps_boundaries, .timeout = timeout},
        std::make_unique<OrderCodec>(), [=](std::string& why) {
          return connects ? make_connecting_listener(address, {}) : listen(address, {}, why);
        });
    ASSERT_EQ(peer_->open(), "");
  }
  PeerReply ask(std::uint32_t sequence, Duration wait = seconds(20)) {
    const std::array measured{0.001 * sequence, 0.0, 0.0, 0.0};
    const PeerReply reply = peer_->exchange(
        {.sequence = sequence, .measured = measured, .wait = wait, .ends_at_invalid = false}, command_);
    for (const auto count : kConnectionCounts) total_.*count += reply.counts.*count;
    return reply;
  }
  /// Runs the controller in a thread until the channel closes.
  std::jthread start(std::unique_ptr<Channel> channel, const Answer& answer) {
    return std::jthread([channel = std::move(channel), answer](const std::stop_token& stop) {
      Bytes bytes;
      while (!stop.stop_requested()) {
        std::array<std::uint8_t, 256> buffer{};
        std::size_t count = 0;
        const auto result =
            channel->receive(buffer, count, std::chrono::steady_clock::now() + milliseconds(20));
        if (result == Channel::Result::kClosed) return;
        bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
        while (bytes.size() >= sizeof(Measurement)) {
          Measurement packet{};
          std::memcpy(&packet, bytes.data(), sizeof(packet));
          bytes.erase(bytes.begin(), bytes.begin() + sizeof(packet));
          for (const Bytes& piece : answer(packet))
            channel->send(piece, std::chrono::steady_clock::now() + seconds(20));
        }
      }
    });
  }
  std::jthread start(const Answer& answer = answer_well) {
    std::string error;
    const Address address = parse_address(peer_->address(), error, true).value();
    std::unique_ptr<Channel> channel;
    while (!(channel = connect(address, {}, std::chrono::steady_clock::now() + seconds(20), error)))
      std::this_thread::sleep_for(milliseconds(1));
    // A datagram announces the controller.
    if (address.transport->keeps_boundaries)
      channel->send(Bytes{0}, std::chrono::steady_clock::now() + seconds(1));
    return start(std::move(channel), answer);
  }
  void expect_exchanges(std::uint32_t count) {
    for (std::uint32_t i = 1; i <= count; ++i) {
      EXPECT_TRUE(ask(i).is_fresh) << i << ": " << peer_->problem();
      EXPECT_DOUBLE_EQ(command_[0], -0.01 * i);
    }
  }

  TemporaryFolder folder_;
  std::optional<PacketPeer> peer_;
  std::array<double, 1> command_{};
  ConnectionCounts total_;
};

TEST_F(PacketThreads, CrossEveryTransport) {
  for (const std::string& text :
       {std::string("tcp:127.0.0.1:0"), std::string("udp:127.0.0.1:0"),
        "unix:" + (folder_.path() / "socket").string(), "pipe:" + (folder_.path() / "pipe").string()}) {
    SCOPED_TRACE(text);
    open(text);
    auto controller = start();
    expect_exchanges(100);
    EXPECT_EQ(total_.bad, text.starts_with("udp") ? 1 : 0);  // the announcement is not a packet
    EXPECT_EQ(total_.lost + total_.duplicate + total_.reconnects, 0);
    total_ = {};
    peer_.reset();
  }
}

TEST_F(PacketThreads, CrossASerialLine) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(master, 0);
  ASSERT_EQ(grantpt(master), 0);
  ASSERT_EQ(unlockpt(master), 0);
  termios settings{};
  tcgetattr(master, &settings);
  cfmakeraw(&settings);
  tcsetattr(master, TCSANOW, &settings);
  open(std::string("serial:") + ptsname(master));
  std::jthread device([&](const std::stop_token& stop) {
    Bytes bytes;
    while (!stop.stop_requested()) {
      std::uint8_t byte = 0;
      if (read(master, &byte, 1) != 1) return;
      bytes.push_back(byte);
      if (bytes.size() < sizeof(Measurement)) continue;
      Measurement packet{};
      std::memcpy(&packet, bytes.data(), sizeof(packet));
      bytes.clear();
      const Bytes answer = answer_well(packet)[0];
      if (write(master, answer.data(), answer.size()) < 0) return;
    }
  });
  expect_exchanges(50);
  EXPECT_EQ(total_.bad + total_.lost + total_.duplicate, 0);
  device.request_stop();
  ask(51, milliseconds(200));  // wakes the device, which ends
  peer_.reset();
  device.join();
  close(master);
}

TEST_F(PacketThreads, TheSimulationMayConnectToTheController) {
  std::string error;
  const auto listener = listen(parse_address("tcp:127.0.0.1:0", error).value(), {}, error);
  ASSERT_TRUE(listener) << error;
  std::atomic<bool> is_done = false;
  std::jthread accepting([&] {
    std::unique_ptr<Channel> channel;
    while (!(channel = listener->accept()) && !is_done) std::this_thread::sleep_for(milliseconds(1));
    if (channel) start(std::move(channel), answer_well).join();
  });
  open(listener->address(), true);
  expect_exchanges(20);
  is_done = true;
  peer_.reset();
}

TEST_F(PacketThreads, GarbageBadAndOldPacketsAreCountedAndTheGoodOneIsFound) {
  open("tcp:127.0.0.1:0");
  auto controller = start([](const Measurement& packet) {
    Bytes bytes = {1, 2, 3};  // not a packet
    Bytes damaged = make_order_bytes(packet.count, 666);
    damaged[3] ^= 0x40;
    Bytes old = make_order_bytes(static_cast<std::uint8_t>(packet.count - 1), 666);
    for (const Bytes& piece : {damaged, old, answer_well(packet)[0]})
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    return std::vector<Bytes>{bytes};
  });
  expect_exchanges(10);
  EXPECT_GE(total_.bad, 20);
  EXPECT_EQ(total_.duplicate, 10);
  peer_.reset();
}

TEST_F(PacketThreads, ALostDatagramIsSentAgain) {
  open("udp:127.0.0.1:0", false, ConnectionMode::kLockStep, milliseconds(400));
  auto controller = start([n = 0](const Measurement& packet) mutable {
    return ++n % 2 == 1 ? std::vector<Bytes>() : answer_well(packet);
  });
  for (std::uint32_t i = 1; i <= 5; ++i) EXPECT_TRUE(ask(i, seconds(20)).is_fresh);
  EXPECT_GE(total_.lost, 5);
  peer_.reset();
}

TEST_F(PacketThreads, AHungControllerGivesWayToAnother) {
  open("tcp:127.0.0.1:0", false, ConnectionMode::kLockStep, milliseconds(50));
  auto hung = start([](const Measurement&) { return std::vector<Bytes>(); });
  EXPECT_FALSE(ask(1, milliseconds(100)).is_fresh);
  auto other = start();
  bool is_fresh = false;
  for (std::uint32_t i = 2; i < 200 && !is_fresh; ++i) is_fresh = ask(i, milliseconds(100)).is_fresh;
  EXPECT_TRUE(is_fresh);
  EXPECT_EQ(total_.reconnects, 1);
  peer_.reset();
}

TEST_F(PacketThreads, InRealTimeTheNewestPacketCountsAndNothingWaits) {
  open("tcp:127.0.0.1:0", false, ConnectionMode::kRealTime);
  auto controller = start([](const Measurement& packet) {
    return std::vector<Bytes>{make_order_bytes(packet.count, 1), answer_well(packet)[0]};
  });
  ask(1);  // waits only for the controller to connect
  for (std::uint32_t i = 2; i < 50; ++i) {
    std::this_thread::sleep_for(milliseconds(2));
    const auto before = std::chrono::steady_clock::now();
    ask(i, Duration(0));
    EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(2));
  }
  EXPECT_LT(command_[0], 0.0);
  EXPECT_EQ(total_.bad, 0);
  peer_.reset();
}

}  // namespace
}  // namespace lockstep
