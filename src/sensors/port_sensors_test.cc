#include <gtest/gtest.h>

#include <numbers>

#include "assemble/simulation_testing.h"
#include "sensors/encoder.h"
#include "sensors/infrared_range.h"
#include "sensors/light_sensor.h"
#include "sensors/reflectance.h"

namespace lockstep {
namespace {

double counts(double centimetres) {
  return 4095.0 * infrared_range_level(0.01 * centimetres);
}

// A published fit to measurements with a 12-bit converter.
TEST(InfraredRange, FollowsTheMeasuredCurve) {
  const std::pair<double, double> points[] = {{10, 2539}, {12, 2345}, {15, 2076}, {20, 1685}, {25, 1365},
                                              {30, 1117}, {35, 940},  {40, 834},  {45, 800}};
  for (const auto& [distance, level] : points) EXPECT_NEAR(counts(distance), level, 1.0) << distance << " cm";
}

TEST(InfraredRange, GrowsAsAnObjectNearsThenFallsToZeroAtContact) {
  for (double d = 10.0; d < 80.0; d += 0.5) EXPECT_GT(counts(d), counts(d + 0.5)) << d;
  EXPECT_NEAR(counts(3.0), 2910.0, 1e-9);
  EXPECT_EQ(counts(0.0), 0.0);
  EXPECT_EQ(counts(100.0), counts(80.0));
}

TEST(InfraredRange, ReportsTheLevelOfTheWallAhead) {
  Simulation simulation = simulate(R"(
    <object name='wall' static='true' position='0.3 0 1'><box size='0.2 2 2'/></object>
    <robot name="r" position="0 0 1"><link name="base"><box size="0.02 0.02 0.02"/><site name="eye"/></link>
      <sensors><infrared_range name="et" site="eye"/></sensors></robot>)");
  ASSERT_TRUE(simulation.step().ok());
  EXPECT_NEAR(read_signal(simulation, "r/et/level"), 1685.0 / 4095.0, 2.0 / 4095.0);  // 20 cm
}

double reflectance_over(const std::string& color, double height = 0.005) {
  Simulation simulation = simulate(fmt::format(R"(
    <object name='board' static='true' position='0 0 -0.01'><box size='1 1 0.02' color='{}'/></object>
    <robot name="r" position="0 0 {}"><link name="base"><box size="0.02 0.02 0.02" position="0 0 0.1"/>
      <site name="eye" rpy="0 90 0 deg"/></link>
      <sensors><reflectance name="hat" site="eye" white="0.1" black="0.9"/></sensors></robot>)",
                                               color, height));
  EXPECT_TRUE(simulation.step().ok());
  return read_signal(simulation, "r/hat/level");
}

TEST(Reflectance, IsHighOverBlackAndLowOverWhite) {
  EXPECT_NEAR(reflectance_over("#000000"), 0.9, 1e-9);
  EXPECT_NEAR(reflectance_over("#ffffff"), 0.1, 1e-9);
  EXPECT_NEAR(reflectance_over("#ff0000"), 0.9 - 0.8 / 3.0, 1e-9);
}

TEST(Reflectance, ReadsBlackOverNothing) {
  EXPECT_NEAR(reflectance_over("#ffffff", 0.02), 0.9, 1e-9);
}

// A published fit to measurements; 450 counts are the light of the room.
TEST(Light, FollowsTheMeasuredCurve) {
  const auto reading = [](double centimetres) {
    return 4095.0 * (1.0 - std::min(1.0, 450.0 / 4095.0 + lamp_light(0.01 * centimetres)));
  };
  EXPECT_EQ(reading(30.0), 0.0);
  EXPECT_EQ(reading(120.0), 0.0);
  EXPECT_NEAR(reading(150.0), 354.0, 1.0);
  EXPECT_NEAR(reading(200.0), 2097.0, 1.0);
  EXPECT_NEAR(reading(500.0), 3645.0, 1e-9);
}

double light_at(double start, const std::string& between = "") {
  Simulation simulation = simulate(fmt::format(R"(
    <robot name="stand" position="0 0 1"><link name="lamp"><site name="bulb" position="1.5 0 0"/></link></robot>{}
    <robot name="r" position="0 0 1"><link name="base"><box size="0.02 0.02 0.02"/><site name="eye"/></link>
      <sensors><light name="eye" site="eye" lamp="panel/start" lamp_site="stand/bulb"/></sensors>
      <actuators><panel name="panel"/></actuators></robot>
    <event at="0 s" action="set" target="r/panel/start" value="{}"/>)",
                                               between, start));
  run_to(simulation, 0.002);
  return 4095.0 * read_signal(simulation, "r/eye/level");
}

TEST(Light, SeesTheLampUnlessItIsOffOrHidden) {
  EXPECT_NEAR(light_at(0.0), 3645.0, 1e-6);
  EXPECT_NEAR(light_at(1.0), 354.0, 1.0);
  EXPECT_NEAR(
      light_at(1.0, "<object name='wall' static='true' position='0.7 0 1'><box size='0.01 1 1'/></object>"),
      3645.0, 1e-6);
}

TEST(Sonar, ReadsTheDistanceInCountsOf879Millimetres) {
  Simulation simulation = simulate(R"(
    <object name='wall' static='true' position='2.1 0 1'><box size='0.2 8 8'/></object>
    <robot name="r" position="0 0 1"><link name="base"><box size="0.02 0.02 0.02"/><site name="eye"/>
      <site name="back" rpy="0 0 180 deg"/></link>
      <sensors><sonar name="s" site="eye"/><sonar name="nothing" site="back"/></sensors></robot>)");
  run_to(simulation, 0.0);
  EXPECT_NEAR(1023.0 * read_signal(simulation, "r/s/level"), 2000.0 / 8.79, 0.1);
  EXPECT_NEAR(1023.0 * read_signal(simulation, "r/nothing/level"), 6000.0 / 8.79, 0.1);
}

TEST(Beam, IsBrokenWhileABodyFallsThroughIt) {
  // The lower side of the ball reaches the beam after 0.05 m, 101 ms; its upper side leaves it after 0.09 m, 135 ms.
  Simulation simulation = simulate(R"(
    <object name="ball" position="0.1 0 0.57"><sphere radius="0.02"/></object>
    <robot name="r" position="0 0 0.5"><link name="gate"><site name="eye"/></link>
      <sensors><beam name="gate" site="eye" length="0.2"/></sensors></robot>)");
  const auto broken_at = [&](double time) {
    run_to(simulation, time);
    return read_signal(simulation, "r/gate/broken");
  };
  EXPECT_EQ(broken_at(0.099), 0.0);
  EXPECT_EQ(broken_at(0.103), 1.0);
  EXPECT_EQ(broken_at(0.133), 1.0);
  EXPECT_EQ(broken_at(0.138), 0.0);
}

TEST(Potentiometer, IsProportionalAndLimited) {
  Simulation simulation = simulate(R"(<robot name="r"><link name="stand"/>
    <link name="arm" parent="stand"><joint name="j" initial="45 deg"/><inertial mass="1" diagonal="1 1 1"/></link>
    <sensors><potentiometer name="p" joint="j" from="-90 deg" to="90 deg"/>
      <potentiometer name="back" joint="j" from="90 deg" to="60 deg"/></sensors></robot>)");
  run_to(simulation, 0.0);
  EXPECT_NEAR(read_signal(simulation, "r/p/level"), 0.75, 1e-9);
  EXPECT_EQ(read_signal(simulation, "r/back/level"), 1.0);
}

TEST(Encoder, CountsWholeTicksAndTheirRate) {
  Simulation simulation = simulate(R"(<robot name="r"><link name="stand"/>
    <link name="wheel" parent="stand"><joint name="axle" initial="100 deg" initial_velocity="2 rad/s"/>
      <inertial mass="1" diagonal="0.1 0.1 0.02"/></link>
    <sensors><encoder name="e" joint="axle" ticks="1500"/><encoder name="back" joint="axle" ticks="-36"/></sensors>
    </robot>)");
  ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(read_signal(simulation, "r/e/count"), 416.0);  // 1500 * 100 / 360 = 416.67
  EXPECT_NEAR(read_signal(simulation, "r/e/rate"), 1500.0 / std::numbers::pi, 1e-9);
  EXPECT_EQ(read_signal(simulation, "r/back/count"), -10.0);
}

}  // namespace
}  // namespace lockstep
