#include "actuators/position_servo.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Servo, ClampsItsTarget) {
  Sim sim(wheel(
      R"(<servo name="m" joint="axle" stiffness="3" damping="0.1" lower="-0.2" upper="0.3" initial="2"/>)",
      set("1 s", "r/m/target", "-5")));
  sim.run(1);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), 3.0 * 0.3);
  sim.run(1000);
  const double q = sim.position("r/axle"), v = sim.speed("r/axle");
  sim.run(1);
  EXPECT_NEAR(sim.signal("r/m/torque"), 3.0 * (-0.2 - q) - 0.1 * v, kRounding);
}

/// v' = v + h F / (I + h d): the damping acts on the speed at the end of the step.
double calc_implicit_speed(double v, double force, double damping) {
  return v + kStep * force / (kInertia + kStep * damping);
}

TEST(Servo, IsStableWithAnyDampingIfTheIntegratorIsImplicit) {
  Sim sim("<engine integrator=\"implicit\"/><sensors><energy name=\"e\"/></sensors>" +
          wheel(R"(<servo name="m" joint="axle" stiffness="50" damping="1000" initial="0.5"/>)"));
  for (int i = 0; i < 100; ++i) {
    const double q = sim.position("r/axle"), v = sim.speed("r/axle");
    sim.run(1);
    EXPECT_NEAR(sim.speed("r/axle"), calc_implicit_speed(v, 50.0 * (0.5 - q) - 1000.0 * v, 1000.0), kRounding);
  }
  // What the servo does is all that changes the energy.
  EXPECT_NEAR(sim.signal("e/unexplained"), 0.0, kRounding);
}

TEST(Servo, AtItsLimitHasNoDamping) {
  Sim sim(
      "<engine integrator=\"implicit\"/>" +
      wheel(R"(<servo name="m" joint="axle" stiffness="50" damping="1000" max_effort="2" initial="0.5"/>)"));
  sim.run(1);
  EXPECT_NEAR(sim.speed("r/axle"), kStep * 2.0 / kInertia, kRounding);
}

/// Two carriages of 1 kg, the second on a level rail on this link, and a tendon of length 2 a - b.
std::string carriages(const std::string& engine, const std::string& parent, const std::string& actuator) {
  return engine + R"(<robot name="r"><link name="rail"/>
    <link name="a" parent="rail"><joint name="a" type="slide" axis="1 0 0"/><inertial mass="1" diagonal="1 1 1"/></link>
    <link name="b" parent=")" +
         parent +
         R"("><joint name="b" type="slide" axis="1 0 0"/><inertial mass="1" diagonal="1 1 1"/></link>
    <tendon name="t"><pulley joint="a" ratio="2"/><pulley joint="b" ratio="-1"/></tendon>
    <actuators>)" +
         actuator + "</actuators></robot>";
}

TEST(Servo, OnATendonActsOnEachJointByItsRatio) {
  Sim sim(carriages("", "rail", R"(<servo name="m" tendon="t" stiffness="3" damping="0.5" initial="0.2"/>)"));
  sim.run(100);
  const double length = 2.0 * sim.position("r/a") - sim.position("r/b");
  const double rate = 2.0 * sim.speed("r/a") - sim.speed("r/b");
  const double a = sim.speed("r/a"), b = sim.speed("r/b");
  sim.run(1);
  const double force = 3.0 * (0.2 - length) - 0.5 * rate;
  EXPECT_NEAR(sim.signal("r/m/force"), force, kRounding);
  EXPECT_NEAR(sim.speed("r/a") - a, kStep * 2.0 * force, kRounding);
  EXPECT_NEAR(sim.speed("r/b") - b, kStep * -force, kRounding);
}

TEST(Servo, OnATendonIsStableWithAnyDampingIfTheIntegratorIsImplicit) {
  Sim sim(carriages("<engine integrator=\"implicit\"/><sensors><energy name=\"e\"/></sensors>", "a",
                    R"(<servo name="m" tendon="t" stiffness="300" damping="5000" initial="0.2"/>)"));
  // 1 / (J M^-1 J^T) with J = (2, -1) and M = ((2, 1), (1, 1)), kg.
  constexpr double kTendonMass = 0.1;
  for (int i = 0; i < 100; ++i) {
    const double length = 2.0 * sim.position("r/a") - sim.position("r/b");
    const double rate = 2.0 * sim.speed("r/a") - sim.speed("r/b");
    sim.run(1);
    const double expected =
        rate + kStep * (300.0 * (0.2 - length) - 5000.0 * rate) / (kTendonMass + kStep * 5000.0);
    EXPECT_NEAR(2.0 * sim.speed("r/a") - sim.speed("r/b"), expected, kRounding);
  }
  EXPECT_NEAR(sim.signal("e/unexplained"), 0.0, kRounding);
}

TEST(Servo, ContinuesBitForBitFromASnapshotIfTheIntegratorIsImplicit) {
  const std::string text =
      carriages("<engine integrator=\"implicit\"/>", "rail",
                R"(<servo name="m" tendon="t" stiffness="300" damping="5000" initial="0.2"/>
                   <servo name="n" joint="a" stiffness="30" damping="500" initial="-0.1"/>)");
  Sim first(text), second(text);
  first.run(50);
  StateWriter middle, end, again;
  first.simulation().save(middle);
  first.run(50);
  first.simulation().save(end);
  second.simulation().restore(middle.bytes());
  second.run(50);
  second.simulation().save(again);
  EXPECT_TRUE(std::ranges::equal(end.bytes(), again.bytes()));
}

TEST(Servo, ExertsNothingWhileItIsSwitchedOff) {
  const std::string servo =
      "<servo name='m' joint='axle' stiffness='5' damping='0.3' max_speed='5 rad/s' initial='1' "
      "switchable='true'/>";
  Sim sim(wheel(servo, set("0 s", "r/m/enabled", "0") + set("0.5 s", "r/m/enabled", "1")));
  sim.run(500);
  EXPECT_EQ(sim.position("r/axle"), 0.0);
  sim.run(2000);
  EXPECT_NEAR(sim.position("r/axle"), 1.0, 1e-3);
}

TEST(Servo, NeedsAJointOrATendon) {
  EXPECT_EQ(
      errors_of_text(
          "<scenario name='s'>\n<robot name='r'><link name='a'/><actuators>\n<servo name='m'/></actuators>"
          "</robot></scenario>"),
      "s.xml:3:1: error: <servo> 'r/m': needs a 'joint' or a 'tendon'\n");
}

}  // namespace
}  // namespace lockstep
