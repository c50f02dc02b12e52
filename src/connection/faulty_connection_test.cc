#include <gtest/gtest.h>

#include <array>

#include "connection/function_peer_testing.h"
#include "connection/remote_controller.h"

/// Connections with injected faults, with a controller that is a function. The step is 1 ms.
namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr Slot kMeasured{0}, kCommand{1}, kActive{2}, kCount{3};
constexpr std::size_t kFirstHealthOfFaulty = 4;

/// A connection with one signal in each direction and one fault. The measured signal is the step number; the
/// controller sends back what it has read.
class FaultyConnection {
 public:
  FaultyConnection(ConnectionDirection direction, MessageFault message, std::int64_t delay, std::int64_t every,
                   double chance = 1.0)
      : connection_(
            "plc",
            {.reads = {kMeasured},
             .writes = {kCommand},
             .initial = {-1.0},
             .health = health_slots(kFirstHealthOfFaulty)},
            {.timing = {.silence = Silence::kHold},
             .every = every,
             .step = milliseconds(1),
             .cancelled = {},
             .faults = ConnectionFaults(
                 {{direction, message, delay, FaultSwitch(kActive, kCount, chance, Random(3, "faults/f"))}})},
            std::make_unique<FunctionPeer>([this](const PeerRequest& request, std::span<double> commands) {
              asked = request;
              commands[0] = request.measured[0];
              return PeerReply{.is_fresh = request.incoming != MessageFault::kDrop,
                               .is_connected = true,
                               .counts = {},
                               .waited = Duration(0)};
            })) {
    values_[1] = -1.0;
    EXPECT_EQ(connection_.open(), "");
  }

  /// Takes a step; returns the command after it.
  double step() {
    values_[0] = static_cast<double>(step_);
    EXPECT_TRUE(
        connection_.exchange({step_, milliseconds(step_), 1e-3 * static_cast<double>(step_)}, Row(values_))
            .ok());
    ++step_;
    return values_[1];
  }
  void set(bool on) { values_[2] = on ? 1.0 : 0.0; }
  double count() const { return values_[3]; }

  std::vector<std::uint8_t> save() const {
    StateWriter writer;
    connection_.save(writer);
    return {writer.bytes().begin(), writer.bytes().end()};
  }
  void restore(const std::vector<std::uint8_t>& bytes, const FaultyConnection& from) {
    StateReader reader(bytes);
    connection_.restore(reader);
    EXPECT_TRUE(reader.at_end());
    values_ = from.values_;
    step_ = from.step_;
  }

  PeerRequest asked;

 private:
  std::vector<double> values_ = std::vector<double>(kFirstHealthOfFaulty + RemoteController::kHealth.size());
  std::int64_t step_ = 0;
  RemoteController connection_;
};

TEST(FaultyConnection, DelayedCommandsArriveAfterTheirDelay) {
  FaultyConnection connection(ConnectionDirection::kCommands, MessageFault::kNone, 7, 5);
  connection.set(true);
  for (int step = 0; step < 40; ++step) {
    const double newest = step < 7 ? -1.0 : 5.0 * ((step - 7) / 5);  // exchanges are at 0, 5, 10 …
    ASSERT_EQ(connection.step(), newest) << step;
  }
  EXPECT_EQ(connection.count(), 8.0);
}

TEST(FaultyConnection, DelayedMeasurementsAreSentAfterTheirDelay) {
  FaultyConnection connection(ConnectionDirection::kMeasurements, MessageFault::kNone, 10, 5);
  for (int step = 0; step < 10; ++step) ASSERT_EQ(connection.step(), 5.0 * (step / 5));
  connection.set(true);
  // The measurement of step 5 is used until that of step 10 arrives.
  for (int step = 10; step < 20; ++step) ASSERT_EQ(connection.step(), 5.0) << step;
  for (int step = 20; step < 60; ++step) ASSERT_EQ(connection.step(), 5.0 * (step / 5) - 10.0) << step;
}

TEST(FaultyConnection, PassesActiveMessageFaultsToThePeer) {
  FaultyConnection connection(ConnectionDirection::kMeasurements, MessageFault::kCorrupt, 0, 1);
  connection.step();
  EXPECT_EQ(connection.asked.outgoing, MessageFault::kNone);
  connection.set(true);
  connection.step();
  EXPECT_EQ(connection.asked.outgoing, MessageFault::kCorrupt);
  EXPECT_EQ(connection.asked.incoming, MessageFault::kNone);
  connection.set(false);
  connection.step();
  EXPECT_EQ(connection.asked.outgoing, MessageFault::kNone);
}

TEST(FaultyConnection, WaitsInFullForAControllerSilencedByAFault) {
  FaultyConnection connection(ConnectionDirection::kCommands, MessageFault::kDrop, 0, 1);
  EXPECT_EQ(connection.step(), 0.0);
  connection.set(true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(connection.step(), 0.0);  // the command holds
    EXPECT_GT(connection.asked.wait, Duration(0));
  }
  connection.set(false);
  EXPECT_EQ(connection.step(), 4.0);
}

TEST(FaultyConnection, SavesDelayedRowsAndRandomState) {
  for (const ConnectionDirection direction :
       {ConnectionDirection::kMeasurements, ConnectionDirection::kCommands}) {
    FaultyConnection connection(direction, MessageFault::kNone, 9, 2, 0.5);
    connection.set(true);
    for (int i = 0; i < 25; ++i) connection.step();
    FaultyConnection other(direction, MessageFault::kNone, 9, 2, 0.5);
    other.restore(connection.save(), connection);
    for (int i = 0; i < 50; ++i) ASSERT_EQ(connection.step(), other.step()) << i;
  }
}

}  // namespace
}  // namespace lockstep
