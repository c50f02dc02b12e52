#include "sensors/faulty_sensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "assemble/carriage_testing.h"

namespace lockstep {
namespace {

TEST(FaultySensor, AStuckEncoderReadsItsLastValueExactlyWhileTheFaultLasts) {
  Simulation simulation = simulate_carriage(
      R"(<faults><fault name="stuck" device="r/encoder" kind="stick" at="0.5 s" length="0.2 s"/></faults>)");
  run_to_step(simulation, 499);
  const double last = read_signal(simulation, "r/encoder/position");
  EXPECT_EQ(last, read_signal(simulation, "r/truth/position"));
  EXPECT_NEAR(last, 2.0 * 0.499, 1e-12);
  for (std::int64_t step = 500; step < 700; ++step) {
    ASSERT_EQ(read_signal(simulation, "faults/stuck/active"), 1.0);  // set before the step begins
    run_to_step(simulation, step);
    ASSERT_EQ(read_signal(simulation, "r/encoder/position"), last);
  }
  run_to_step(simulation, 700);
  EXPECT_EQ(read_signal(simulation, "r/encoder/position"), read_signal(simulation, "r/truth/position"));
  EXPECT_EQ(read_signal(simulation, "faults/stuck/active"), 0.0);
  EXPECT_EQ(read_signal(simulation, "faults/stuck/count"), 200.0);
}

TEST(FaultySensor, ABiasIsAddedOnlyToTheNamedQuantity) {
  Simulation simulation = simulate_carriage(
      R"(<faults><fault name="off" device="r/encoder" signal="position" kind="bias" value="3 mm" at="0 s"/></faults>)");
  for (std::int64_t step = 0; step < 100; ++step) {
    run_to_step(simulation, step);
    ASSERT_EQ(read_signal(simulation, "r/encoder/position"),
              read_signal(simulation, "r/truth/position") + 0.003);
    ASSERT_EQ(read_signal(simulation, "r/encoder/speed"), read_signal(simulation, "r/truth/speed"));
  }
}

TEST(FaultySensor, ACutSensorReadsZeroOrTheGivenValue) {
  Simulation simulation = simulate_carriage(
      R"(<faults><fault name="dead" device="r/encoder" signal="position" kind="cut" at="10 ms"/>
<fault name="high" device="r/encoder" signal="speed" kind="cut" value="99" at="20 ms"/></faults>)");
  run_to_step(simulation, 15);
  EXPECT_EQ(read_signal(simulation, "r/encoder/position"), 0.0);
  EXPECT_EQ(read_signal(simulation, "r/encoder/speed"), 2.0);
  run_to_step(simulation, 25);
  EXPECT_EQ(read_signal(simulation, "r/encoder/speed"), 99.0);
}

TEST(FaultySensor, ABiasOnAStuckSensorIsAddedOnlyOnce) {
  Simulation simulation = simulate_carriage(
      R"(<faults><fault name="stuck" device="r/encoder" kind="stick" at="5 ms"/>
<fault name="off" device="r/encoder" kind="bias" value="1" at="0 s" signal="position"/></faults>)");
  run_to_step(simulation, 4);
  const double last = read_signal(simulation, "r/truth/position") + 1.0;
  run_to_step(simulation, 300);
  EXPECT_EQ(read_signal(simulation, "r/encoder/position"), last);
}

TEST(FaultySensor, StuckFromItsFirstCallReadsTheFirstValue) {
  Simulation simulation =
      simulate_carriage(R"(<faults><fault name="stuck" device="r/encoder" kind="stick" at="0 s"/></faults>)");
  run_to_step(simulation, 100);
  EXPECT_EQ(read_signal(simulation, "r/encoder/speed"), 2.0);
  EXPECT_EQ(read_signal(simulation, "r/encoder/position"), 0.0);
}

TEST(FaultySensor, ChanceGivesTheRightRateIndependentOfOtherFaults) {
  constexpr const char* kFault =
      R"(<fault name="rare" device="r/encoder" signal="position" kind="cut" chance="0.3" at="0 s"/>)";
  Simulation alone = simulate_carriage(fmt::format("<faults>{}</faults>", kFault));
  Simulation among = simulate_carriage(fmt::format(
      R"(<faults><fault name="other" device="r/encoder" kind="bias" signal="speed" value="1" chance="0.5"
at="0 s"/>{}<fault name="third" device="r/truth" kind="stick" chance="0.9" at="0 s"/></faults>)",
      kFault));
  constexpr int kCalls = 10'000;
  for (int step = 0; step < kCalls; ++step) {
    ASSERT_TRUE(alone.run(1).ok());
    ASSERT_TRUE(among.run(1).ok());
    ASSERT_EQ(read_signal(alone, "faults/rare/count"), read_signal(among, "faults/rare/count"));
  }
  const double five_sigma = 5.0 * std::sqrt(kCalls * 0.3 * 0.7);
  EXPECT_NEAR(read_signal(alone, "faults/rare/count"), kCalls * 0.3, five_sigma);
  EXPECT_NEAR(read_signal(among, "faults/other/count"), kCalls * 0.5, five_sigma);
}

TEST(FaultySensor, CountsItsOwnCallsIfItHasAPeriod) {
  Simulation simulation = simulate_carriage(
      R"(<sensors><joint_state name="slow" joint="r/rail" period="10 ms"/></sensors>
<faults><fault name="stuck" device="slow" kind="stick" at="0 s" length="1 s"/></faults>)");
  run_to_step(simulation, 1500);
  EXPECT_EQ(read_signal(simulation, "faults/stuck/count"), 100.0);
}

}  // namespace
}  // namespace lockstep
