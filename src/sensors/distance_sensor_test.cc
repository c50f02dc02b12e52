#include "sensors/distance_sensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "assemble/simulation_testing.h"

namespace lockstep {
namespace {

/// A sensor 1 m above the ground that looks along +x, tilted down by `pitch`.
Simulation look(const std::string& attributes, const std::string& pitch, const std::string& scene) {
  return simulate(fmt::format(R"(<ground/>{}
    <robot name="r" position="0 0 1"><link name="base"><box size="0.2 0.2 0.2"/>
      <site name="eye" rpy="0 {} 0 deg"/></link>
      <link name="cover" parent="base" position="0.15 0 0"><sphere radius="0.02"/></link>
      <link name="flap" parent="base" position="0.3 0 0"><joint name="j" axis="0 0 1" damping="1"/>
        <sphere radius="0.05"/></link>
      <sensors><distance name="d" site="eye" {}/></sensors></robot>)",
                              scene, pitch, attributes));
}

double look_once(const std::string& attributes, const std::string& pitch = "0", const std::string& scene = "") {
  Simulation simulation = look(attributes, pitch, scene);
  EXPECT_TRUE(simulation.step().ok());
  return read_signal(simulation, "r/d/distance");
}

constexpr const char* kWall =
    "<object name='wall' static='true' position='3 0 1'><box size='0.2 2 2'/></object>";

TEST(DistanceSensor, ReadsTheDistanceToAWall) {
  EXPECT_NEAR(look_once("range='5' ignore='robot'", "0", kWall), 2.9, 1e-9);
}

TEST(DistanceSensor, ReadsTheDistanceToGroundAndSlopeAlongItsRay) {
  EXPECT_NEAR(look_once("range='5' ignore='robot'", "30"), 1.0 / std::sin(std::numbers::pi / 6.0), 1e-9);
  // A slope of 45 degrees whose surface goes through (2, 0, 1).
  const char* slope =
      "<object name='slope' static='true' position='2 0 1' rpy='0 -45 0 deg'>"
      "<box size='2 2 0.2' position='0 0 -0.1'/></object>";
  EXPECT_NEAR(look_once("range='5' ignore='robot'", "0", slope), 2.0, 1e-9);
}

TEST(DistanceSensor, ReadsAFixedValueWhenNothingIsInRange) {
  EXPECT_EQ(look_once("range='2.8' ignore='robot'", "0", kWall), 2.8);
  EXPECT_EQ(look_once("range='2.8' nothing='-1' ignore='robot'", "0", kWall), -1.0);
}

TEST(DistanceSensor, ReadsItsMinimumForWhatIsNearer) {
  EXPECT_EQ(look_once("range='5' minimum='2.95' ignore='robot'", "0", kWall), 2.95);
}

TEST(DistanceSensor, IgnoresItsLinkOrItsRobotAsConfigured) {
  EXPECT_NEAR(look_once("range='5' ignore='nothing'", "0", kWall), 0.1, 1e-9);  // from inside its box
  EXPECT_NEAR(look_once("range='5'", "0", kWall), 0.25, 1e-9);                  // the flap moves by itself
  EXPECT_NEAR(look_once("range='5' ignore='robot'", "0", kWall), 2.9, 1e-9);
}

TEST(DistanceSensor, DetectsWithAConeWhatASingleRayMisses) {
  // A ball 20 degrees off the axis, 2 m away.
  const double off = std::numbers::pi / 9.0;
  const std::string ball =
      fmt::format("<object name='ball' static='true' position='{} {} 1'><sphere radius='0.2'/></object>",
                  2.0 * std::cos(off), 2.0 * std::sin(off));
  EXPECT_EQ(look_once("range='5' ignore='robot'", "0", ball), 5.0);
  EXPECT_EQ(look_once("range='5' ignore='robot' angle='20deg' rays='200'", "0", ball), 5.0);
  const double seen = look_once("range='5' ignore='robot' angle='50deg' rays='200'", "0", ball);
  EXPECT_GE(seen, 1.8);         // its nearest point
  EXPECT_LT(seen, 1.8 + 0.02);  // within the spacing of the rays, 3 degrees
}

TEST(DistanceSensor, MeasuresTheBearingOfTheNearestShapeInItsCone) {
  // A small ball 10 degrees to the left and 5 degrees up, 2 m away.
  const double left = std::numbers::pi / 18.0, up = std::numbers::pi / 36.0, spacing = 0.04;
  const std::string ball = fmt::format(
      "<object name='ball' static='true' position='{} {} {}'><sphere radius='0.1'/></object>",
      2.0 * std::cos(up) * std::cos(left), 2.0 * std::cos(up) * std::sin(left), 1.0 + 2.0 * std::sin(up));
  Simulation simulation = look("range='5' ignore='robot' angle='40deg' rays='500' bearing='true'", "0", ball);
  EXPECT_TRUE(simulation.step().ok());
  EXPECT_NEAR(read_signal(simulation, "r/d/azimuth"), left, spacing);
  EXPECT_NEAR(read_signal(simulation, "r/d/elevation"), up, spacing);
}

TEST(DistanceSensor, FillsItsConeEvenlyUpToTheEdge) {
  const double half = 0.3;
  const std::vector<Vec3> rays = DistanceSensor::make_directions(2.0 * half, 500);
  EXPECT_EQ(rays.front(), Vec3(Vec3::UnitX()));
  EXPECT_NEAR(std::acos(rays.back().x()), half, 1e-12);
  int inside = 0;
  Vec3 sum = Vec3::Zero();
  for (const Vec3& ray : rays) {
    EXPECT_NEAR(ray.norm(), 1.0, 1e-12);
    inside += std::acos(std::min(1.0, ray.x())) < half / 2.0 ? 1 : 0;
    sum += ray;
  }
  EXPECT_EQ(inside, 125);  // half the angle is a quarter of the area
  EXPECT_LT(std::hypot(sum.y(), sum.z()) / 500.0, 0.01 * half);
}

}  // namespace
}  // namespace lockstep
