#include "control/playback.h"

#include <gtest/gtest.h>

#include "assemble/simulation_testing.h"
#include "scenario/base64.h"

namespace lockstep {
namespace {

/// An arm of two hinges without gravity, limited to ±2 rad, with servos of at most 3 rad/s, and a plan for it.
std::string playback_text(const std::string& plan, const std::string& attributes) {
  return R"(<scenario name="s" gravity="0 0 0"><robot name="r"><link name="base"/>
<link name="a" parent="base"><joint name="ja" lower="-2" upper="2"/><box mass="1"/></link>
<link name="b" parent="a" position="0 0 2"><joint name="jb" lower="-2" upper="2"/><box mass="1"/></link>
<actuators><servo name="sa" joint="ja" max_speed="3"/><servo name="sb" joint="jb" max_speed="3"/>
<torque name="ta" joint="ja" limit="5"/></actuators>
<controllers><playback name="p" src="p.csv" )" +
         attributes + R"(/></controllers></robot><file path="p.csv">)" + encode_base64(plan) +
         "</file></scenario>";
}

Simulation play(const std::string& plan, const std::string& attributes) {
  return simulate_text(playback_text(plan, attributes));
}

/// The errors about the plan, without their common prefix.
std::string playback_errors(const std::string& plan, const std::string& attributes) {
  std::string text = errors_of_text(playback_text(plan, attributes));
  const std::string common = "error: <playback> 'r/p': ";
  for (std::size_t at = text.find(common); at != text.npos; at = text.find(common))
    text.erase(at, common.size());
  return text;
}

double value_after(Simulation& simulation, std::int64_t steps, std::string_view signal) {
  EXPECT_TRUE(simulation.run(steps).ok());
  return simulation.row()[*simulation.signals().find(signal)];
}

TEST(Playback, DrivesTheCommandsThatItsHeaderNames) {
  Simulation simulation = play("time,sa,sb/target\n0,0,0\n1,1,-0.5\n", "");
  EXPECT_NEAR(value_after(simulation, 501, "r/sa/target"), 0.5, 1e-12);
  EXPECT_NEAR(value_after(simulation, 1, "r/sb/target"), -0.2505, 1e-12);
  EXPECT_NEAR(value_after(simulation, 1000, "r/sa/target"), 1.0, 1e-12);
  EXPECT_EQ(value_after(simulation, 1, "r/p/progress"), 1.0);
}

TEST(Playback, ReadsColumnsInOrderWithUnitsAndAnInterval) {
  Simulation simulation = play("9;0;0\n9;180;57\n", R"(columns="- sa[mrad] sb" unit="deg" interval="1 s")");
  EXPECT_NEAR(value_after(simulation, 1001, "r/sa/target"), 0.18, 1e-12);
  EXPECT_NEAR(value_after(simulation, 1, "r/sb/target"), 57.0 * 3.14159265358979 / 180.0, 1e-12);
}

TEST(Playback, CountsTimeFromTheFirstRow) {
  Simulation simulation = play("time [ms],sa\n5000,0\n6000,1\n", "");
  EXPECT_NEAR(value_after(simulation, 501, "r/sa/target"), 0.5, 1e-12);
}

TEST(Playback, RejectsARowBeyondTheLimitsOfItsJoint) {
  EXPECT_EQ(playback_errors("time,sa,sb\n0,0,0\n5,1,-2.5\n9,0,0\n", ""),
            "p.csv:3:5: row 2: joint 'r/jb' would be at -2.5 rad; its limits are -2 and 2 rad\n");
}

TEST(Playback, RejectsSpeedsAboveTheActuatorLimit) {
  EXPECT_EQ(playback_errors("time,sa\n0,0\n0.1,0.5\n1,0\n", ""),
            "p.csv:3:5: from row 1 to row 2: joint 'r/ja' would move at 5 rad/s; its limit is 3 rad/s\n");
  EXPECT_EQ(playback_errors("time,sa\n0,0\n1,1\n", R"(max_speed="0.5")"),
            "p.csv:3:3: from row 1 to row 2: joint 'r/ja' would move at 1 rad/s; its limit is 0.5 rad/s\n");
  EXPECT_EQ(playback_errors("time,sa\n0,0\n1,2\n", R"(time_scale="2")"),
            "p.csv:3:3: from row 1 to row 2: joint 'r/ja' would move at 4 rad/s; its limit is 3 rad/s\n");
}

TEST(Playback, RejectsACurveThatOvershootsBetweenTwoValidRows) {
  const std::string plan = "time,sa\n0,0\n1,1.9\n2,1.9\n3,0\n";
  EXPECT_EQ(playback_errors(plan, ""), "");
  // By symmetry 3 v = 5.7 rad/s for the speed v at row 2, and the spline is level halfway, at 1.9 + v/4.
  const std::string error = playback_errors(plan, R"(interpolation="cubic")");
  EXPECT_EQ(error.substr(0, error.find(" would")), "p.csv:3:3: between rows 2 and 3: joint 'r/ja'");
  EXPECT_EQ(playback_errors(plan, R"(interpolation="quintic" max_speed="3.5625")"),
            "p.csv:3:3: from row 1 to row 2: joint 'r/ja' would move at 3.5625 rad/s; its limit is 3 rad/s\n"
            "p.csv:5:3: from row 3 to row 4: joint 'r/ja' would move at 3.5625 rad/s; its limit is 3 rad/s\n");
}

TEST(Playback, RejectsTooLargeAccelerations) {
  // From rest to rest over 1 rad in 1 s a cubic begins with 6 rad/s^2.
  EXPECT_EQ(playback_errors("time,sa\n0,0\n1,1\n", R"(interpolation="cubic" max_acceleration="6.1")"), "");
  EXPECT_EQ(
      playback_errors("time,sa\n0,0\n1,1\n", R"(interpolation="cubic" max_acceleration="5.9")"),
      "p.csv:3:3: from row 1 to row 2: joint 'r/ja' would accelerate by 6 rad/s^2; its limit is 5.9 rad/s^2\n");
}

TEST(Playback, RejectsAJumpAtTheStartAndAtTheSeamOfALoop) {
  EXPECT_EQ(playback_errors("time,sa\n0,0.5\n1,0\n", ""),
            "p.csv:2:3: row 1: joint 'r/ja' would jump from 0 rad, where it is at the start, to 0.5 rad; at "
            "most 0.01 "
            "rad is allowed\n");
  EXPECT_EQ(playback_errors("time,sa\n0,0.5\n1,0\n", R"(max_jump="0.6")"), "");
  EXPECT_EQ(
      playback_errors("time,sa\n0,0\n1,0.2\n", R"(loop="true")"),
      "p.csv:3:3: row 2: joint 'r/ja' would jump from 0.2 rad back to 0 rad of row 1; at most 0.01 rad is "
      "allowed\n");
}

TEST(Playback, InAStateOfASupervisorMayStartFromAnyPosition) {
  std::string text = playback_text("time,sa\n0,0.5\n1,0\n", "");
  const std::string playback = R"(<playback name="p" src="p.csv" />)";
  text.replace(text.find(playback), playback.size(),
               R"(<supervisor name="b"><state name="x"><controllers>)" + playback +
                   "</controllers></state></supervisor>");
  Simulation simulation = simulate_text(text);
  EXPECT_NEAR(value_after(simulation, 501, "r/sa/target"), 0.25, 1e-12);
}

TEST(Playback, ChecksATorqueAgainstTheLimitOfItsActuator) {
  EXPECT_EQ(playback_errors("time,ta\n0,4\n1,6\n", ""),
            "p.csv:3:3: row 2: signal 'r/ta/torque' would be at 6 N*m; its limits are -5 and 5 N*m\n");
}

TEST(Playback, RejectsWrongColumns) {
  EXPECT_NE(playback_errors("0,0\n1,1\n", "").find("has no header; name its 2 columns with 'columns'"),
            std::string::npos);
  EXPECT_NE(
      playback_errors("0,0\n1,1\n", R"(columns="time")").find("columns: 1 given, but the plan 'p.csv' has 2"),
      std::string::npos);
  EXPECT_EQ(playback_errors("time,sc\n0,0\n1,1\n", "").substr(0, 44),
            "p.csv:1:1: column 'sc' is not a command sign");
  EXPECT_EQ(playback_errors("time,sa,sa\n0,0,0\n1,1,1\n", ""), "p.csv:1:1: column 'sa' appears twice\n");
  EXPECT_EQ(playback_errors("time,sa [kg]\n0,0\n1,1\n", ""),
            "p.csv:1:1: column 'sa [kg]' is in 'kg'; expected a unit that fits 'rad'\n");
  EXPECT_EQ(playback_errors("time,sa\n0,0\n0,1\n", ""), "p.csv:3:1: row 2: time 0 is not after 0 of row 1\n");
  EXPECT_NE(playback_errors("sa\n0\n1\n", "").find("the plan has no column 'time'; give the 'interval'"),
            std::string::npos);
  EXPECT_EQ(playback_errors("time,sa,velocity(sa)\n0,0,0\n1,1,1\n", ""),
            "p.csv:1:1: column 'velocity(sa)' does not apply to linear interpolation; ignore it with '-'\n");
}

TEST(Playback, FollowsTheVelocitiesOfThePlan) {
  // With these velocities the cubic is the straight line.
  Simulation simulation = play("time,sa,velocity(sa)\n0,0,1\n1,1,1\n", R"(interpolation="cubic")");
  EXPECT_NEAR(value_after(simulation, 251, "r/sa/target"), 0.25, 1e-12);
}

}  // namespace
}  // namespace lockstep
