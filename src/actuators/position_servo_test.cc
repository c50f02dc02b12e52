#include "actuators/position_servo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(Servo, GivesStiffnessTimesErrorMinusDampingTimesSpeed) {
  Sim sim(wheel(R"(<servo name="m" joint="axle" stiffness="3" damping="0.1" initial="0.5 rad"/>)"));
  sim.run(100);
  const double q = sim.position("r/axle");
  const double v = sim.speed("r/axle");
  sim.run(1);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), 3.0 * (0.5 - q) - 0.1 * v);
}

TEST(Servo, LimitsTheSpeedOfItsReference) {
  Sim sim(wheel(
      R"(<servo name="m" joint="axle" stiffness="50" damping="2" max_speed="0.5 rad/s" initial="2 rad"/>)"));
  sim.run(2000);
  // In steady motion the joint lags a reference of 0.5 rad/s by d/k times that speed.
  EXPECT_NEAR(sim.speed("r/axle"), 0.5, kRounding);
  EXPECT_NEAR(sim.position("r/axle"), 0.5 * 2.0 - 2.0 / 50.0 * 0.5, kStep * 0.5 + kRounding);
  sim.run(4000);
  EXPECT_NEAR(sim.position("r/axle"), 2.0, kRounding);
}

TEST(Servo, WithAGainApproachesItsTargetExponentiallyWithinTheSpeedLimit) {
  Sim sim(R"(
    <robot name="r" position="0 0 1"><chain fixed="true" modules="1" pattern="yaw" gain="4" max_speed="2" stiffness="400"
      damping="1" max_effort="100"/></robot>
    <event at="0 s" action="set" target="r/joint1/target" value="1"/>)");
  // The error is 1 rad: it turns at 2 rad/s until the error is 2/4 rad, after 0.25 s; then exponentially.
  constexpr double kLagOfTheServo = 0.02;  // rad
  sim.run(200);
  EXPECT_NEAR(sim.signal("r/joint1/angle"), 0.4, kLagOfTheServo);
  sim.run(550);
  EXPECT_NEAR(sim.signal("r/joint1/angle"), 1.0 - 0.5 * std::exp(-4.0 * 0.5), kLagOfTheServo);
}

}  // namespace
}  // namespace lockstep
