#include "actuators/faulty_actuator.h"

#include <gtest/gtest.h>

#include "assemble/carriage_testing.h"

namespace lockstep {
namespace {

TEST(FaultyActuator, AppliesNoForceWhileItsPowerIsCut) {
  Simulation simulation = simulate_carriage(
      std::string(kPull) +
      R"(<faults><fault name="dead" device="r/drive" kind="cut" at="1 s" length="0.5 s"/></faults>)");
  run_to_step(simulation, 999);
  const double coasting = carriage_speed(simulation);
  EXPECT_NEAR(coasting, 2.0 + 3.0 * 1.0, 1e-9);
  for (std::int64_t step = 1000; step < 1500; ++step) {
    run_to_step(simulation, step);
    ASSERT_EQ(carriage_speed(simulation), coasting);
    ASSERT_EQ(read_signal(simulation, "r/drive/force"), 3.0);  // the row keeps the original command
  }
  run_to_step(simulation, 1999);
  EXPECT_NEAR(carriage_speed(simulation), coasting + 3.0 * 0.5, 1e-9);
}

TEST(FaultyActuator, AServoWithoutPowerFallsFreelyAndReportsNoForce) {
  Simulation simulation = simulate_text(R"(<scenario name='s' step='1 ms'><robot name="r">
<link name="base"/><link name="car" parent="base"><joint name="shaft" type="slide"/><inertial mass="2" diagonal="1 1 1"/></link>
<actuators><servo name="hold" joint="shaft" stiffness="1e5" damping="2e3"/></actuators></robot>
<faults><fault name="dead" device="r/hold" kind="cut" at="1 s"/></faults></scenario>)");
  run_to_step(simulation, 999);
  EXPECT_NEAR(read_signal(simulation, "r/hold/force"), 2.0 * 9.81, 1e-6);
  run_to_step(simulation, 1499);
  EXPECT_NEAR(carriage_speed(simulation), -9.81 * 0.5, 1e-6);
  EXPECT_EQ(read_signal(simulation, "r/hold/force"), 0.0);
}

TEST(FaultyActuator, RepeatsThePreviousCommandWhileStuck) {
  Simulation simulation = simulate_carriage(std::string(kPull) +
                                            R"(<event at="1 s" action="set" target="r/drive/force" value="-50"/>
<faults><fault name="stuck" device="r/drive" kind="stick" at="1 s"/></faults>)");
  run_to_step(simulation, 1999);
  EXPECT_NEAR(carriage_speed(simulation), 2.0 + 3.0 * 2.0, 1e-9);
  EXPECT_EQ(read_signal(simulation, "r/drive/force"), -50.0);
}

TEST(FaultyActuator, SeesTheFaultyCommandWhileTheRowKeepsTheOriginal) {
  Simulation simulation = simulate_carriage(
      std::string(kPull) + R"(<faults><fault name="off" device="r/drive" kind="bias" value="1 N" at="0 s"/>
<fault name="stop" device="r/drive" signal="force" kind="cut" value="-2 N" at="1 s"/></faults>)");
  run_to_step(simulation, 999);
  EXPECT_NEAR(carriage_speed(simulation), 2.0 + 4.0 * 1.0, 1e-9);
  run_to_step(simulation, 1999);
  EXPECT_NEAR(carriage_speed(simulation), 6.0 - 2.0 * 1.0, 1e-9);
  EXPECT_EQ(read_signal(simulation, "r/drive/force"), 3.0);
}

}  // namespace
}  // namespace lockstep
