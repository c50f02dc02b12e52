#include "sensors/energy_sensor.h"

#include <gtest/gtest.h>

#include "assemble/simulation_testing.h"

namespace lockstep {
namespace {

/// A mass of 2 kg on a vertical slide that a motor lifts with 25 N, and sensors.
constexpr const char* kLift = R"(<robot name="lift"><link name="base"/>
    <link name="cab" parent="base"><joint name="rail" type="slide" axis="0 0 1" damping="1"/>
      <inertial mass="2" diagonal="0.01 0.01 0.01"/></link>
    <sensors><joint_state name="rail" joint="rail"/><work name="paid" actuator="motor"/></sensors>
    <actuators><torque name="motor" joint="rail" initial="25 N"/></actuators></robot>
  <sensors><energy name="all"/></sensors>)";

TEST(EnergySensor, ReadsWhereTheWorkOfAMotorWent) {
  Simulation simulation = simulate(kLift);
  run_to(simulation, 1.0);
  const double height = read_signal(simulation, "lift/rail/position"),
               speed = read_signal(simulation, "lift/rail/speed");
  EXPECT_NEAR(read_signal(simulation, "lift/paid/work"), 25.0 * height, 0.005 * 25.0 * height);
  EXPECT_EQ(read_signal(simulation, "all/work"), read_signal(simulation, "lift/paid/work"));
  EXPECT_NEAR(read_signal(simulation, "all/kinetic"), speed * speed, 1e-12);
  EXPECT_NEAR(read_signal(simulation, "all/potential"), 2.0 * 9.81 * height, 1e-9);
  EXPECT_LT(read_signal(simulation, "all/damping"), -0.1);
  EXPECT_EQ(read_signal(simulation, "all/friction"), 0.0);
  EXPECT_EQ(read_signal(simulation, "all/contacts"), 0.0);
  EXPECT_NEAR(read_signal(simulation, "all/unexplained"), 0.0, 0.01 * 25.0 * height);
}

TEST(EnergySensor, RejectsAnUnknownActuator) {
  try {
    simulate(R"(<sensors><work name="w" actuator="moter"/></sensors>)");
    FAIL() << "accepted the work of an actuator that does not exist";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("<work> 'w': unknown actuator 'moter'"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace lockstep
