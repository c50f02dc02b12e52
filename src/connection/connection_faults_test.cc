#include "connection/connection_faults.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace lockstep {
namespace {

/// A table of faults, each with its two signals.
class Table {
 public:
  ConnectionFaults::Fault add(ConnectionDirection direction, MessageFault message, std::int64_t delay = 0,
                              double chance = 1.0) {
    const std::size_t first = values_.size();
    values_.insert(values_.end(), {1.0, 0.0});
    const FaultSwitch when(Slot{first}, Slot{first + 1}, chance, Random(7, std::to_string(first)));
    return {direction, message, delay, when};
  }
  void set(std::size_t fault, bool on) { values_[2 * fault] = on ? 1.0 : 0.0; }
  double count(std::size_t fault) const { return values_[2 * fault + 1]; }
  Row row() { return Row(values_); }

 private:
  std::vector<double> values_;
};

TEST(ConnectionFaults, ApplyActiveFaultsInTheirDirection) {
  Table table;
  ConnectionFaults faults({table.add(ConnectionDirection::kCommands, MessageFault::kDrop),
                           table.add(ConnectionDirection::kMeasurements, MessageFault::kCorrupt)});
  ExchangeFaults decided = faults.decide(table.row());
  EXPECT_EQ(decided.incoming, MessageFault::kDrop);
  EXPECT_EQ(decided.outgoing, MessageFault::kCorrupt);
  table.set(0, false);
  decided = faults.decide(table.row());
  EXPECT_EQ(decided.incoming, MessageFault::kNone);
  EXPECT_EQ(decided.outgoing, MessageFault::kCorrupt);
  EXPECT_EQ(table.count(0), 1.0);
  EXPECT_EQ(table.count(1), 2.0);
}

TEST(ConnectionFaults, AddDelaysAndPreferTheFaultDeclaredFirst) {
  Table table;
  ConnectionFaults faults({table.add(ConnectionDirection::kCommands, MessageFault::kNone, 3),
                           table.add(ConnectionDirection::kCommands, MessageFault::kFreeze),
                           table.add(ConnectionDirection::kCommands, MessageFault::kDrop),
                           table.add(ConnectionDirection::kCommands, MessageFault::kNone, 4)});
  const ExchangeFaults decided = faults.decide(table.row());
  EXPECT_EQ(decided.command_delay, 7);
  EXPECT_EQ(decided.measurement_delay, 0);
  EXPECT_EQ(decided.incoming, MessageFault::kFreeze);
  EXPECT_EQ(faults.longest_delay(ConnectionDirection::kCommands), 7);
  EXPECT_EQ(faults.longest_delay(ConnectionDirection::kMeasurements), 0);
}

TEST(ConnectionFaults, RandomFaultsContinueIdenticallyAfterASnapshot) {
  Table table;
  const ConnectionFaults::Fault fault = table.add(ConnectionDirection::kCommands, MessageFault::kDrop, 0, 0.25);
  ConnectionFaults faults({fault});
  constexpr int kExchanges = 10'000;
  for (int i = 0; i < kExchanges; ++i) (void)faults.decide(table.row());
  EXPECT_NEAR(table.count(0), 0.25 * kExchanges, 5.0 * std::sqrt(0.25 * 0.75 * kExchanges));
  StateWriter writer;
  faults.save(writer);
  ConnectionFaults other({fault});
  StateReader reader(writer.bytes());
  other.restore(reader);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(faults.decide(table.row()).incoming, other.decide(table.row()).incoming);
}

TEST(DelayLine, DeliversEachRowAfterItsDelay) {
  DelayLine line(1, 8);
  double seen = -1.0;
  for (std::int64_t step = 0; step < 20; ++step) {
    line.send(step, 5, std::array{static_cast<double>(step)});
    EXPECT_EQ(line.receive(step, {&seen, 1}), step >= 5);
    EXPECT_EQ(seen, step >= 5 ? static_cast<double>(step - 5) : -1.0);
  }
}

TEST(DelayLine, KeepsTheOrderOfRows) {
  DelayLine line(1, 8);
  double seen = -1.0;
  line.send(0, 4, std::array{0.0});
  line.send(1, 0, std::array{1.0});  // sent after the delayed row
  EXPECT_FALSE(line.receive(3, {&seen, 1}));
  EXPECT_TRUE(line.receive(4, {&seen, 1}));
  EXPECT_EQ(seen, 1.0);  // both have arrived: the newest is used
  line.send(5, 0, std::array{5.0});
  EXPECT_TRUE(line.receive(5, {&seen, 1}));
  EXPECT_EQ(seen, 5.0);
}

TEST(DelayLine, SavesRowsInTransit) {
  DelayLine line(2, 4);
  std::array<double, 2> seen{};
  for (std::int64_t step = 0; step < 6; ++step) {
    line.send(step, 3, std::array{1.0 * static_cast<double>(step), -1.0});
    line.receive(step, seen);
  }
  StateWriter writer;
  line.save(writer);
  DelayLine other(2, 4);
  StateReader reader(writer.bytes());
  other.restore(reader);
  EXPECT_TRUE(other.receive(7, seen));
  EXPECT_EQ(seen[0], 4.0);
  DelayLine smaller(2, 2);
  StateReader again(writer.bytes());
  EXPECT_THROW(smaller.restore(again), StateError);
}

}  // namespace
}  // namespace lockstep
