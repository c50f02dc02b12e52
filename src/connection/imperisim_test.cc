#include "connection/imperisim.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <limits>
#include <numbers>
#include <thread>

#include "connection/imperisim_peer.h"

namespace lockstep {
namespace {

using Bytes = std::vector<std::uint8_t>;
using std::chrono::milliseconds;

/// The struct printed in the paper, packed to 239 bytes.
#pragma pack(push, 1)
struct KissSimToSolidWorksMotor {
  double MotorVelocity;
  double MotorGoal;
  unsigned char MotorHasGoal;
};
struct KissSimToSolidWorksPacket {
  unsigned char KissSimTerminate;
  KissSimToSolidWorksMotor Motors[14];
};
struct SolidWorksToKissSimPacket {
  unsigned char SolidWorksTerminate;
  std::int16_t Analogs[14];
  std::int32_t Digitals[14];
  std::int16_t CameraX;
  double XDelta;
  double YDelta;
  double ThetaDelta;
};
#pragma pack(pop)
static_assert(sizeof(KissSimToSolidWorksPacket) == 239 && sizeof(SolidWorksToKissSimPacket) == 111);

Bytes bytes_of(const KissSimToSolidWorksPacket& packet) {
  Bytes bytes(sizeof(packet));
  std::memcpy(bytes.data(), &packet, sizeof(packet));
  return bytes;
}

std::string decode(const KissSimToSolidWorksPacket& packet, ImperisimMotors& motors) {
  const Bytes bytes = bytes_of(packet);
  return decode_imperisim(std::span<const std::uint8_t, kImperisimMotorsBytes>(bytes), motors);
}

TEST(ImperisimPackets, TheMotorPacketHasTheLayoutOfThePaper) {
  KissSimToSolidWorksPacket packet{};
  for (int i = 0; i < 14; ++i) packet.Motors[i] = {1.5 * i, -100.0 - i, static_cast<unsigned char>(i % 2)};
  ImperisimMotors motors;
  ASSERT_EQ(decode(packet, motors), "");
  EXPECT_FALSE(motors.terminate);
  for (std::size_t i = 0; i < 14; ++i) {
    EXPECT_EQ(motors.motors[i].velocity, 1.5 * static_cast<double>(i));
    EXPECT_EQ(motors.motors[i].goal, -100.0 - static_cast<double>(i));
    EXPECT_EQ(motors.motors[i].has_goal, i % 2 == 1);
  }
  packet.KissSimTerminate = 1;
  ASSERT_EQ(decode(packet, motors), "");
  EXPECT_TRUE(motors.terminate);
}

TEST(ImperisimPackets, TheSensorPacketHasTheLayoutOfThePaper) {
  ImperisimSensors sensors{.terminate = true, .camera_x = -7, .delta = {0.5, -0.25, 3.0}};
  for (std::size_t i = 0; i < 14; ++i) {
    sensors.analogs[i] = static_cast<std::int16_t>(1000 - 300 * static_cast<int>(i));
    sensors.digitals[i] = static_cast<std::int32_t>(i) - 5;
  }
  std::array<std::uint8_t, kImperisimSensorsBytes> bytes{};
  encode_imperisim(sensors, bytes);
  SolidWorksToKissSimPacket packet;
  std::memcpy(&packet, bytes.data(), sizeof(packet));
  EXPECT_EQ(packet.SolidWorksTerminate, 1);
  // "+": a reference must not be bound to a number of a packed struct.
  for (int i = 0; i < 14; ++i) {
    EXPECT_EQ(+packet.Analogs[i], 1000 - 300 * i);
    EXPECT_EQ(+packet.Digitals[i], i - 5);
  }
  EXPECT_EQ(+packet.CameraX, -7);
  const double x = packet.XDelta, y = packet.YDelta, theta = packet.ThetaDelta;
  EXPECT_EQ(x, 0.5);
  EXPECT_EQ(y, -0.25);
  EXPECT_EQ(theta, 3.0);
}

TEST(ImperisimPackets, AMotorPacketWithImpossibleValuesIsRejectedAndLeavesTheMotorsUnchanged) {
  ImperisimMotors motors;
  motors.motors[2].velocity = 42.0;
  const auto error = [&](auto change) {
    KissSimToSolidWorksPacket packet{};
    change(packet);
    const std::string text = decode(packet, motors);
    EXPECT_EQ(motors.motors[2].velocity, 42.0);
    return text;
  };
  EXPECT_EQ(error([](auto& p) { p.KissSimTerminate = 2; }), "the terminate flag is 2; expected 0 or 1");
  EXPECT_EQ(error([](auto& p) { p.Motors[3].MotorHasGoal = 255; }),
            "the goal flag of motor 3 is 255; expected 0 or 1");
  EXPECT_EQ(error([](auto& p) { p.Motors[13].MotorVelocity = std::numeric_limits<double>::quiet_NaN(); }),
            "the velocity of motor 13 is not a finite number");
  EXPECT_EQ(error([](auto& p) { p.Motors[0].MotorGoal = -std::numeric_limits<double>::infinity(); }),
            "the goal of motor 0 is not a finite number");
  EXPECT_EQ(error([](auto& p) { p.Motors[1].MotorGoal = -2e9; }),
            "the goal of motor 1 is -2e+09; expected at most 1e+09 either way");
}

/// Both directions of a connection in memory; the test acts as the program, between the exchanges.
struct Wire {
  std::deque<std::uint8_t> to_peer;
  Bytes to_program;
  bool is_closed = false;
  int waiting = 1;  // programs that try to connect
};

class MemoryChannel final : public Channel {
 public:
  explicit MemoryChannel(Wire& wire) : wire_(wire) {}
  Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline) override {
    if (wire_.is_closed) return Result::kClosed;
    wire_.to_program.insert(wire_.to_program.end(), bytes.begin(), bytes.end());
    return Result::kDone;
  }
  Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) override {
    if (wire_.to_peer.empty()) {
      if (wire_.is_closed) return Result::kClosed;
      std::this_thread::sleep_until(deadline);
      return Result::kTimeout;
    }
    for (count = 0; count < buffer.size() && !wire_.to_peer.empty(); ++count) {
      buffer[count] = wire_.to_peer.front();
      wire_.to_peer.pop_front();
    }
    return Result::kDone;
  }

 private:
  Wire& wire_;
};

class MemoryListener final : public Listener {
 public:
  explicit MemoryListener(Wire& wire) : wire_(wire) {}
  std::unique_ptr<Channel> accept() override {
    if (wire_.waiting == 0) return nullptr;
    --wire_.waiting;
    return std::make_unique<MemoryChannel>(wire_);
  }
  std::string address() const override { return "memory"; }

 private:
  Wire& wire_;
};

class ImperisimProgram : public testing::Test {
 protected:
  ImperisimProgram() { EXPECT_EQ(peer_.open(), ""); }

  void write(const Bytes& bytes) { wire_.to_peer.insert(wire_.to_peer.end(), bytes.begin(), bytes.end()); }
  void write_motors(double velocity, double goal, unsigned char has_goal) {
    KissSimToSolidWorksPacket packet{};
    packet.Motors[3] = {velocity, goal, has_goal};
    packet.Motors[4] = {0.0, goal, has_goal};
    write(bytes_of(packet));
  }
  SolidWorksToKissSimPacket take_sensors() {
    SolidWorksToKissSimPacket packet{};
    EXPECT_EQ(wire_.to_program.size(), sizeof(packet));
    std::memcpy(&packet, wire_.to_program.data(), std::min(sizeof(packet), wire_.to_program.size()));
    wire_.to_program.clear();
    return packet;
  }
  PeerReply exchange(double analog, double touch, double x, MessageFault outgoing = MessageFault::kNone,
                     MessageFault incoming = MessageFault::kNone) {
    const std::array measured{analog, touch, x};
    return peer_.exchange({.sequence = sequence_++,
                           .measured = measured,
                           .wait = kTimeout,
                           .outgoing = outgoing,
                           .incoming = incoming},
                          commands_);
  }

  static constexpr Duration kTimeout = milliseconds(20);
  Wire wire_;
  std::uint32_t sequence_ = 0;
  std::array<double, 6> commands_{-1.0, -1.0, -1.0, -1.0, -1.0, -1.0};
  ImperisimPeer peer_{
      {.motors = {{.port = 3, .scale = 0.01}, {.port = 4, .scale = 2.0, .offset = 1.0, .velocity = 0.7}},
       .sensors = {{ImperisimPeer::Field::kAnalog, 2, -100.0, 800.0},
                   {ImperisimPeer::Field::kDigital, 13},
                   {ImperisimPeer::Field::kDeltaX, 0, 1000.0}},
       .timeout = kTimeout},
      [this](std::string&) { return std::make_unique<MemoryListener>(wire_); }};
};

TEST_F(ImperisimProgram, SpeaksFirstAndGetsItsSensorsAfterTheSegment) {
  write_motors(500.0, 250.0, 1);
  PeerReply reply = exchange(1.0, 0.0, 0.25);
  EXPECT_TRUE(reply.is_fresh);
  EXPECT_TRUE(wire_.to_program.empty());
  EXPECT_EQ(commands_, (std::array{5.0, 2.5, 1.0, 0.7, 501.0, 1.0}));

  write_motors(-500.0, 0.0, 0);
  // Bytes that arrive before the sensors are sent are too early; so the program writes after it has read.
  wire_.to_peer.clear();
  reply = exchange(3.214, 1.0, 0.75);
  EXPECT_FALSE(reply.is_fresh);
  const SolidWorksToKissSimPacket sensors = take_sensors();
  EXPECT_EQ(sensors.SolidWorksTerminate, 0);
  EXPECT_EQ(+sensors.Analogs[2], 479);  // 800 - 321.4, rounded
  EXPECT_EQ(+sensors.Digitals[13], 1);
  const double x = sensors.XDelta;
  EXPECT_EQ(x, 500.0);

  write_motors(-500.0, 0.0, 0);
  EXPECT_TRUE(exchange(3.0, 0.0, 0.75).is_fresh);
  EXPECT_EQ(commands_, (std::array{-5.0, 0.0, 0.0, 0.0, 1.0, 0.0}));
}

TEST_F(ImperisimProgram, ThatSendsTooFewBytesIsReportedAndTheNextSegmentStartsClean) {
  write(Bytes(200, 0));
  PeerReply reply = exchange(0.0, 0.0, 0.0);
  if (reply.counts.bad == 0) reply = exchange(0.0, 0.0, 0.0);  // the timeout counts from the first byte
  EXPECT_FALSE(reply.is_fresh);
  EXPECT_EQ(reply.counts.bad, 1);
  EXPECT_EQ(peer_.problem(), "received 200 of the 239 bytes of a motor packet, and no more within 0.02 s");
  EXPECT_EQ(commands_[0], -1.0);
  exchange(0.0, 0.0, 0.0);
  take_sensors();
  write_motors(100.0, 0.0, 0);
  reply = exchange(0.0, 0.0, 0.0);
  EXPECT_TRUE(reply.is_fresh);
  EXPECT_EQ(reply.counts.bad, 0);
  EXPECT_EQ(commands_[0], 1.0);
}

TEST_F(ImperisimProgram, ThatSendsTooManyBytesIsReportedAndTheNextSegmentStartsClean) {
  write_motors(100.0, 0.0, 0);
  write({1, 2, 3});
  EXPECT_TRUE(exchange(0.0, 0.0, 0.0).is_fresh);
  const PeerReply reply = exchange(0.0, 0.0, 0.0);
  EXPECT_EQ(reply.counts.bad, 1);
  EXPECT_EQ(peer_.problem(), "3 extra bytes after a motor packet of 239 bytes");
  take_sensors();
  write_motors(200.0, 0.0, 0);
  EXPECT_TRUE(exchange(0.0, 0.0, 0.0).is_fresh);
  EXPECT_EQ(commands_[0], 2.0);
}

TEST_F(ImperisimProgram, ThatSendsNanMovesNothingAndStillGetsItsSensors) {
  write_motors(std::numeric_limits<double>::quiet_NaN(), 0.0, 0);
  const PeerReply reply = exchange(0.0, 0.0, 0.0);
  EXPECT_FALSE(reply.is_fresh);
  EXPECT_EQ(reply.counts.bad, 1);
  EXPECT_EQ(commands_[0], -1.0);
  EXPECT_EQ(peer_.problem(), "not a valid motor packet: the velocity of motor 3 is not a finite number");
  exchange(0.0, 0.0, 0.0);
  take_sensors();
}

TEST_F(ImperisimProgram, ThatStallsIsWaitedForUntilTheDeadlineAndMayContinue) {
  const PeerReply silent = exchange(0.0, 0.0, 0.0);
  EXPECT_FALSE(silent.is_fresh);
  EXPECT_TRUE(silent.is_connected);
  EXPECT_EQ(silent.counts.bad, 0);
  EXPECT_GE(silent.waited, kTimeout);
  write_motors(100.0, 0.0, 0);
  EXPECT_TRUE(exchange(0.0, 0.0, 0.0).is_fresh);
}

TEST_F(ImperisimProgram, ThatDisconnectsWithinAPacketMayReconnect) {
  write(Bytes(10, 0));
  wire_.is_closed = true;
  PeerReply reply = exchange(0.0, 0.0, 0.0);
  EXPECT_FALSE(reply.is_connected);
  EXPECT_EQ(reply.counts.bad, 1);
  EXPECT_EQ(peer_.problem(),
            "the program has closed the connection after 10 of the 239 bytes of a motor packet");
  wire_.is_closed = false;
  wire_.waiting = 1;
  write_motors(100.0, 0.0, 0);
  reply = exchange(0.0, 0.0, 0.0);
  EXPECT_TRUE(reply.is_fresh);
  EXPECT_EQ(reply.counts.reconnects, 1);
}

TEST_F(ImperisimProgram, MayEndTheSimulation) {
  KissSimToSolidWorksPacket packet{};
  packet.KissSimTerminate = 1;
  write(bytes_of(packet));
  const PeerReply reply = exchange(0.0, 0.0, 0.0);
  EXPECT_FALSE(reply.is_connected);
  EXPECT_TRUE(reply.is_over);
  EXPECT_EQ(peer_.problem(), "the program has ended the simulation");
}

TEST(ImperisimOdometry, IsAlongTheAxesOfTheRobotIfItHasAHeading) {
  Wire wire;
  using Field = ImperisimPeer::Field;
  ImperisimPeer peer(
      {.motors = {}, .sensors = {{Field::kDeltaX}, {Field::kDeltaY}, {.field = Field::kHeading, .scale = 2.0}}},
      [&](std::string&) { return std::make_unique<MemoryListener>(wire); });
  ASSERT_EQ(peer.open(), "");
  const auto exchange = [&](double x, double y, double heading) {
    const std::array measured{x, y, std::cos(heading / 2), 0.0, 0.0, std::sin(heading / 2)};
    return peer.exchange({.measured = measured, .wait = milliseconds(10)}, {}).is_fresh;
  };
  wire.to_peer.resize(kImperisimMotorsBytes);  // all motors stand
  // It looks along +y, turning left across the direction where angles wrap around, and drives 2 m forward and 0.5 m to
  // its left, which are +y and -x of the world.
  EXPECT_TRUE(exchange(1.0, 1.0, std::numbers::pi / 2));
  EXPECT_FALSE(exchange(0.5, 3.0, std::numbers::pi / 2 + 2.0));  // the program has not answered yet
  SolidWorksToKissSimPacket packet{};
  ASSERT_EQ(wire.to_program.size(), sizeof(packet));
  std::memcpy(&packet, wire.to_program.data(), sizeof(packet));
  EXPECT_NEAR(packet.XDelta, 2.0, 1e-12);
  EXPECT_NEAR(packet.YDelta, 0.5, 1e-12);
  EXPECT_NEAR(packet.ThetaDelta, 2.0 * 2.0, 1e-12);
}

TEST_F(ImperisimProgram, IsEndedWithTheSimulation) {
  write_motors(100.0, 0.0, 0);
  EXPECT_TRUE(exchange(0.0, 0.0, 0.0).is_fresh);
  peer_.close();
  EXPECT_EQ(take_sensors().SolidWorksTerminate, 1);
}

TEST_F(ImperisimProgram, LosesPacketsDroppedByAFault) {
  write_motors(100.0, 0.0, 0);
  PeerReply reply = exchange(0.0, 0.0, 0.0, MessageFault::kNone, MessageFault::kDrop);
  EXPECT_FALSE(reply.is_fresh);
  EXPECT_EQ(reply.counts.lost, 1);
  exchange(0.0, 0.0, 0.0, MessageFault::kDrop);
  EXPECT_TRUE(wire_.to_program.empty());
  exchange(0.0, 0.0, 0.0);  // the sensors come an exchange later
  take_sensors();
  write_motors(100.0, 0.0, 0);
  reply = exchange(0.0, 0.0, 0.0, MessageFault::kNone, MessageFault::kCorrupt);
  EXPECT_FALSE(reply.is_fresh);
  EXPECT_EQ(reply.counts.bad, 1);
  exchange(0.0, 0.0, 0.0, MessageFault::kDuplicate);
  EXPECT_EQ(wire_.to_program.size(), 2 * kImperisimSensorsBytes);
  EXPECT_FALSE(exchange(0.0, 0.0, 0.0, MessageFault::kDisconnect).is_connected);
}

}  // namespace
}  // namespace lockstep
