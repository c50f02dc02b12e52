#include "actuators/drive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kExact = 1e-12;

TEST(Drive, FollowsASineExactlyUnderAnyLoad) {
  Sim sim(lift(
      R"(<drive name="d" joint="lift" frequency="5 Hz" amplitude="2 cm" phase="30 deg" rise_time="0.5 s"/>)",
      R"(<event action="push" target="r/cabin" at="1 s" force="0 0 -1000" length="0.2 s"/>)"));
  sim.run(500);
  for (int i = 501; i < 2000; ++i) {
    sim.run(1);
    const double angle = 2.0 * kPi * 5.0 * i * kStep + kPi / 6.0;
    ASSERT_NEAR(sim.position("r/lift"), 0.02 * std::sin(angle), kExact);
    ASSERT_NEAR(sim.speed("r/lift"), 0.02 * 2.0 * kPi * 5.0 * std::cos(angle), kExact);
  }
}

TEST(Drive, BeginsSmoothlyFromRest) {
  Sim sim(lift(R"(<drive name="d" joint="lift" frequency="5 Hz" amplitude="2 cm"/>)"));
  double largest = 0.0;
  for (int i = 0; i < 200; ++i) {
    sim.run(1);
    if (i > 0) largest = std::max(largest, std::abs(sim.signal("r/d/force") - kCabin * kG));
    if (i == 5) {
      EXPECT_LT(largest, 0.01 * kCabin * 0.02 * std::pow(2.0 * kPi * 5.0, 2));
    }
  }
  EXPECT_LT(largest, 1.6 * kCabin * 0.02 * std::pow(2.0 * kPi * 5.0, 2));
}

TEST(Drive, MeasuresTheForceThatTheMotionNeeds) {
  Sim sim(lift(R"(<drive name="d" joint="lift" velocity="2 m/s" max_acceleration="4 m/s^2"/>)"));
  sim.run(300);
  EXPECT_NEAR(sim.signal("r/d/force"), kCabin * (kG + 4.0), 1e-6);
  EXPECT_NEAR(sim.speed("r/lift"), 4.0 * 0.3, kExact);
  EXPECT_NEAR(sim.position("r/lift"), 0.5 * 4.0 * 0.3 * 0.3, kExact);
  sim.run(700);
  EXPECT_NEAR(sim.signal("r/d/force"), kCabin * kG, 1e-6);
  EXPECT_NEAR(sim.position("r/lift"), 0.5 + 2.0 * 0.5, 1e-11);
}

TEST(Drive, MovesToTheTargetOfEachStep) {
  Sim sim(wheel(
      R"(<drive name="d" joint="axle"/>)",
      R"(<controllers><sine name="s" signal="r/d/target" amplitude="0.3" frequency="2 Hz"/></controllers>)"));
  for (int i = 0; i < 600; ++i) {
    sim.run(1);
    ASSERT_EQ(sim.position("r/axle"), sim.signal("r/d/target"));
    ASSERT_NEAR(sim.position("r/axle"), 0.3 * std::sin(2.0 * kPi * 2.0 * i * kStep), kExact);
  }
}

TEST(Drive, ABeltTakesACrateAlongByFriction) {
  Sim sim(R"(<material name="rubber" friction="0.5"/>
    <robot name="r"><link name="frame"/><link name="belt" parent="frame" position="0 0 0.95">
      <joint name="run" type="slide" axis="1 0 0" initial_velocity="1"/>
      <box size="10 0.5 0.1" mass="20" material="rubber"/></link>
    <actuators><drive name="d" joint="run" velocity="1 m/s"/></actuators></robot>
    <object name="crate" position="0 0 1.1"><box size="0.3 0.3 0.2" mass="4" material="rubber"/></object>)");
  // Friction accelerates it by mu g, until it is as fast as the belt after 0.204 s.
  sim.run(100);
  EXPECT_NEAR(sim.velocity("crate").linear.x(), 0.5 * kG * 0.1, 0.02);
  EXPECT_NEAR(sim.signal("r/d/force"), 0.5 * 4.0 * kG, 0.5);
  sim.run(300);
  EXPECT_NEAR(sim.velocity("crate").linear.x(), 1.0, 1e-4);
  EXPECT_NEAR(sim.signal("r/d/force"), 0.0, 0.01);
  // Half of the work of the belt becomes kinetic energy, half is lost in friction.
  const EnergyBalance balance = sim.simulation().energy_balance();
  EXPECT_NEAR(balance.work[0].second, 4.0, 0.05);
  EXPECT_NEAR(balance.contacts, -2.0, 0.05);
  EXPECT_NEAR(balance.unexplained, 0.0, 0.02);
}

TEST(Drive, AShakerIsNotEnergyThatWasGainedWithoutACause) {
  for (const char* integrator : {"euler", "implicit", "rk4"}) {
    Sim sim(fmt::format(R"(<engine integrator="{}"/><material name="rubber" restitution="0.9"/>
      <robot name="r"><link name="base"/><link name="table" parent="base"><joint name="shake" type="slide"/>
        <box size="1 1 0.1" mass="5" material="rubber"/></link>
      <actuators><drive name="d" joint="shake" frequency="10 Hz" amplitude="1 cm"/></actuators></robot>
      <object name="ball" position="0 0 0.2"><sphere radius="0.05" mass="3" material="rubber"/></object>)",
                        integrator));
    sim.run(5000);
    EXPECT_TRUE(sim.simulation().finish().ok());
    const EnergyBalance balance = sim.simulation().energy_balance();
    EXPECT_GT(balance.work[0].second, 1.0) << integrator;
    EXPECT_LT(balance.contacts, 0.0) << integrator;
    // In free fall, euler and implicit lose m g^2 h / 2 per second.
    const double loss = integrator == std::string("rk4") ? 0.0 : 3.0 * kG * kG * kStep / 2.0 * 5.0;
    EXPECT_NEAR(balance.unexplained, -loss, 0.01 * balance.work[0].second) << integrator;
  }
}

TEST(Drive, StopsAtTheLimitsOfItsJoint) {
  Sim sim(R"(<robot name="r"><link name="rail"/><link name="cabin" parent="rail">
    <joint name="lift" type="slide" lower="-0.5" upper="0.5"/><sphere mass="2"/></link>
    <actuators><drive name="d" joint="lift" velocity="1"/></actuators></robot>)");
  sim.run(1000);
  EXPECT_EQ(sim.position("r/lift"), 0.5);
  EXPECT_EQ(sim.speed("r/lift"), 0.0);
  EXPECT_NEAR(sim.signal("r/d/force"), 2.0 * kG, 1e-9);
}

TEST(Drive, StandsStillWhileAFaultCutsItsPower) {
  Sim sim(wheel(R"(<drive name="d" joint="axle" velocity="1"/>)",
                R"(<faults><fault name="f" device="r/d" kind="cut" at="0.5 s" length="0.5 s"/></faults>)"));
  sim.run(900);
  EXPECT_NEAR(sim.position("r/axle"), 0.5, 2e-3);
  EXPECT_EQ(sim.speed("r/axle"), 0.0);
}

TEST(Drive, ContinuesFromASnapshotWithTheSameHash) {
  const std::string scenario = R"(<robot name="r"><link name="base"/>
      <link name="table" parent="base"><joint name="shake" type="slide" axis="1 0 0"/><box size="1 1 0.1" mass="5"/></link>
      <actuators><drive name="d" joint="shake" frequency="7 Hz" amplitude="2 cm"/></actuators></robot>
    <object name="crate" position="0 0 0.2"><box size="0.2 0.2 0.1" mass="3"/></object>)";
  Sim straight(scenario);
  straight.run(400);
  for (const int at : {1, 57, 200, 399}) {
    Sim first(scenario), second(scenario);
    first.run(at);
    StateWriter writer;
    first.simulation().save(writer);
    second.simulation().restore(writer.bytes());
    second.run(400 - at);
    EXPECT_EQ(second.simulation().hash(), straight.simulation().hash()) << at;
  }
}

/// Errors of an actuator in line 2 of a scenario.
std::string errors_of_drive(const std::string& actuators,
                            const std::string& joint = R"(name="lift" type="slide")") {
  return errors_of_text(
      R"(<scenario name="s"><robot name="r"><link name="rail"/><link name="cabin" parent="rail">
<joint )" +
      joint + R"(/><sphere mass="2"/></link><actuators>
)" + actuators +
      "</actuators></robot></scenario>");
}

TEST(Drive, RejectsASecondActuatorOnItsJoint) {
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift'/>\n<drive name='e' joint='lift'/>"),
            "s.xml:4:17: error: <drive> 'r/e': joint 'r/lift' is driven by 'r/d' already\n");
  EXPECT_EQ(
      errors_of_drive("<servo name='s' joint='lift'/>\n<drive name='d' joint='lift'/>"),
      "s.xml:3:1: error: actuator 'r/s': joint 'r/lift' is driven by 'r/d', whatever acts on it; remove one of "
      "them\n");
}

TEST(Drive, RejectsAttributesOfAnotherForm) {
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift' frequency='1 Hz'/>"),
            "s.xml:3:30: error: <drive> 'r/d': has 'frequency' but no 'amplitude'\n");
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift' frequency='1 Hz' amplitude='1 m' velocity='1'/>"),
            "s.xml:3:63: error: <drive> 'r/d': has both 'frequency' and 'velocity'; expected one of them\n");
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift' amplitude='1 m'/>"),
            "s.xml:3:30: error: <drive> 'r/d': 'amplitude' applies only with 'frequency'\n");
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift' max_acceleration='1 m/s^2'/>"),
            "s.xml:3:30: error: <drive> 'r/d': 'max_acceleration' applies only with 'velocity'\n");
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift' velocity='1 rad/s'/>"),
            "s.xml:3:30: error: <drive> 'r/d': velocity: unit 'rad/s' does not fit; expected a speed in 'm/s', "
            "such as "
            "'20 mm/s'\n");
}

TEST(Drive, RejectsAMotionThatItsJointCannotFollow) {
  EXPECT_EQ(
      errors_of_drive("<drive name='d' joint='lift' frequency='1 Hz' amplitude='0.2 m'/>",
                      R"(name="lift" type="slide" lower="-0.1" upper="0.3")"),
      "s.xml:3:47: error: <drive> 'r/d': moves from -0.2 to 0.2 m, beyond the limits of joint 'r/lift'\n");
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift' frequency='1 Hz' amplitude='0.5 m' rise_time='0'/>"),
            "s.xml:3:65: error: <drive> 'r/d': starts at 3.14159 m/s, but joint 'r/lift' at 0 m/s; change its "
            "initial_velocity, or give a rise_time\n");
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift' frequency='200 Hz' amplitude='1 mm'/>"),
            "s.xml:3:30: error: <drive> 'r/d': frequency 200 Hz is too high for the physics step (0.001 s); "
            "expected at "
            "most 100 Hz\n");
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift'/>", R"(name="lift" type="hinge" detachable="true")"),
            "s.xml:3:17: error: <drive> 'r/d': joint 'r/lift' is detachable; a drive needs one that is not\n");
  EXPECT_EQ(errors_of_drive("<drive name='d' joint='lift'/>", R"(name="lift" type="ball")"),
            "s.xml:3:17: error: <drive> 'r/d': joint 'r/lift' is neither a hinge nor a slide\n");
}

}  // namespace
}  // namespace lockstep
