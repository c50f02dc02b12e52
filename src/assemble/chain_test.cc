#include <gtest/gtest.h>

#include <cmath>

#include "assemble/simulation_testing.h"

/// Chains in small scenarios with a known solution.
namespace lockstep {
namespace {

constexpr double kGravity = 9.81;

Simulation simulate_chain(const std::string& inside) {
  return simulate(inside, default_registry(), LOCKSTEP_SOURCE_DIR "/scenarios/basics");
}

/// R_WB of a body with a pose sensor.
Quat rotation(const Simulation& simulation, const std::string& pose) {
  return {read_signal(simulation, pose + "/qw"), read_signal(simulation, pose + "/qx"),
          read_signal(simulation, pose + "/qy"), read_signal(simulation, pose + "/qz")};
}

void run_for(Simulation& simulation, double seconds) {
  ASSERT_TRUE(simulation.run(std::llround(seconds / to_seconds(simulation.step_size()))).ok());
}

TEST(ChainRobot, DistanceSensorsSeeTerrain) {
  // Over the bowl z = x^2/8, whose pixels are 31 mm apart.
  Simulation simulation = simulate_chain(R"(
    <terrain src="terrain/bowl.png" size="4 4 1"/>
    <robot name="r" position="0.8 0 0.5"><chain fixed="true"><sensor_module size="20 60 60 mm">
      <face_distance place="bottom"/><face_distance place="front" range="2 m"/><face_distance place="top"/>
    </sensor_module></chain></robot>)");
  run_for(simulation, 0.01);
  constexpr double kFacets = 2e-4;
  EXPECT_NEAR(read_signal(simulation, "r/eye1_bottom/distance"), 0.47 - 0.79 * 0.79 / 8.0, kFacets);
  // The forward ray hits the slope where x^2/8 = 0.5, unless the bowl ends before.
  EXPECT_NEAR(read_signal(simulation, "r/eye1_front/distance"), 2.0 - 0.8, 0.02);
  EXPECT_DOUBLE_EQ(read_signal(simulation, "r/eye1_top/distance"), 1.0);
}

TEST(ChainRobot, ALongChainLiesOnTheGround) {
  Simulation simulation = simulate_chain(R"(
    <ground/><robot name="r" position="0 0 0.03"><chain modules="200"/></robot>)");
  run_for(simulation, 0.02);
  constexpr double kDepth = 1e-3;  // m
  EXPECT_NEAR(read_signal(simulation, "r/head/z"), 0.03, kDepth);
}

TEST(ChainRobot, AChainCrawlsAsFarWithJoinedFramesAsWithSeparateOnes) {
  // A gap of 2 um at the locks keeps their frames apart: they touch the ground with eight corners, not four.
  const std::string separate =
      R"(<front><box size="38.999 60 60 mm" position="19.4995 0 0 mm"/></front>
         <rear><box size="38.999 60 60 mm" position="-19.4995 0 0 mm"/></rear>)";
  const auto crawl = [](const std::string& frames) {
    Simulation simulation = simulate_chain(R"(
      <ground/><robot name="r" position="0 0 0.03"><chain modules="11">)" +
                                           frames + R"(</chain>
      <controllers><gait name="gait" period="10 ms" pitch_amplitude="0.5" pitch_phase="2.5" cycle="4 s"/></controllers>
      </robot>)");
    run_for(simulation, 4.0);
    const double start = read_signal(simulation, "r/head/x");
    run_for(simulation, 4.0);
    return read_signal(simulation, "r/head/x") - start;
  };
  const double joined = crawl("");
  EXPECT_GT(std::abs(joined), 0.01);
  EXPECT_NEAR(joined, crawl(separate), 0.02 * std::abs(joined));
}

TEST(ChainRobot, LocksCarryTheWeightBehindThem) {
  Simulation simulation = simulate_chain(R"(
    <robot name="r" position="0 0 1"><chain modules="3" fixed="true" measured="true" mass="0.3"/></robot>)");
  run_for(simulation, 3.0);
  constexpr double kSettled = 1e-3;  // N
  // Forces are in the axes of the link behind, which sags slightly: the norm is the weight.
  const auto force = [&](const std::string& lock) {
    return std::hypot(read_signal(simulation, lock + "/force_x"), read_signal(simulation, lock + "/force_y"),
                      read_signal(simulation, lock + "/force_z"));
  };
  EXPECT_NEAR(force("r/lock1"), 0.6 * kGravity, kSettled);
  EXPECT_NEAR(force("r/lock2"), 0.3 * kGravity, kSettled);
}

TEST(ChainRobot, ADetachedModuleFalls) {
  // Yaw hinges do not sag; a sagging hinge would spring back and accelerate the detached module.
  Simulation simulation = simulate_chain(R"(
    <robot name="r" position="0 0 2"><chain fixed="true" poses="all" pattern="yaw">
      <module/><module detachable="true"/><module/></chain></robot>
    <event at="0.5 s" action="set" target="r/lock1/hold" value="0"/>)");
  run_for(simulation, 0.501);
  constexpr double kSettled = 1e-4;  // m
  const double before = read_signal(simulation, "r/module2a/z");
  EXPECT_NEAR(before, 2.0, kSettled);
  run_for(simulation, 0.4);
  constexpr double kOneStep = 0.4 * kGravity * 1e-3;
  EXPECT_NEAR(before - read_signal(simulation, "r/module2a/z"), 0.5 * kGravity * 0.4 * 0.4, kOneStep);
  EXPECT_NEAR(read_signal(simulation, "r/module1b/z"), 2.0, kSettled);
}

TEST(ChainRobot, APlateUnderASensorModuleFeelsTheWeightAboveIt) {
  Simulation simulation = simulate_chain(R"(
    <ground/>
    <robot name="r" position="0 0 0.032"><chain><sensor_module mass="1.5"><force_plate mass="2 g"/></sensor_module></chain></robot>)");
  run_for(simulation, 1.0);
  constexpr double kSettled = 1e-3;  // N
  EXPECT_NEAR(read_signal(simulation, "r/pad1_bottom/force_z"), -1.5 * kGravity, kSettled);
}

TEST(ChainRobot, PositiveAnglesTurnTheFrontDownAndToTheLeft) {
  constexpr double kRounding = 1e-4;  // and one step under gravity
  Simulation simulation = simulate_chain(R"(
    <robot name="r" position="0 0 1"><chain fixed="true" modules="2" poses="all" stiffness="200" initial="0.5"/></robot>)");
  run_for(simulation, 0.001);
  // The first hinge bends the body: with the head level, the second hinge, 78 mm behind it, is lower.
  EXPECT_NEAR(1.0 - read_signal(simulation, "r/module2a/z"), 0.078 * std::sin(0.5), kRounding);
  // Links behind the second hinge are rotated to the right by 0.5: the front points to their left.
  const Vec3 front_B =
      rotation(simulation, "r/module2b").conjugate() * (rotation(simulation, "r/module2a") * Vec3::UnitX());
  EXPECT_NEAR(std::atan2(front_B.y(), front_B.x()), 0.5, kRounding);
}

TEST(ChainRobot, AHingeCarriesHalfOfElevenModules) {
  Simulation simulation =
      simulate_chain("<robot name='r' position='0 0 1'><chain fixed='true' modules='6'/></robot>");
  run_for(simulation, 3.0);
  constexpr double kStiffness = 40.0, kMass = 5.5 * 0.2, kLength = 5.5 * 0.078;
  constexpr double kLevel = 0.01;  // the other hinges also sag and shorten the lever
  const double sag = kMass * kGravity * 0.5 * kLength / kStiffness;
  EXPECT_NEAR(read_signal(simulation, "r/joint1/angle") / sag, 1.0, kLevel);
  EXPECT_LT(sag, 0.06);
}

}  // namespace
}  // namespace lockstep
