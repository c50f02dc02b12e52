#include "actuators/trajectory_motor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(TrajectoryMotor, ArrivesAfterDistanceOverSpeedAndStaysExactlyAtItsGoal) {
  Sim sim(wheel(
      R"(<trajectory name="m" joint="axle" stiffness="200" damping="4" velocity="0.7" goal="1.4 rad"/>)"));
  const auto at_goal = [&] {
    EXPECT_LE(sim.signal("r/m/reference"), 1.4);
    return sim.signal("r/m/at_goal") == 1.0;
  };
  // The row of step 2000 shows it, which needs 2001 steps.
  EXPECT_EQ(sim.run_until(at_goal), 2001);
  for (int i = 0; i < 2000; ++i) {
    sim.run(1);
    ASSERT_EQ(sim.signal("r/m/reference"), 1.4);
  }
  EXPECT_NEAR(sim.position("r/axle"), 1.4, 1e-12);
}

TEST(TrajectoryMotor, FollowsItsReferenceWithoutLag) {
  Sim sim(wheel(R"(<trajectory name="m" joint="axle" stiffness="200" damping="4" velocity="-0.7"/>)"));
  sim.run(3000);
  EXPECT_NEAR(sim.position("r/axle"), -0.7 * 3.0, kRounding);
  EXPECT_EQ(sim.signal("r/m/at_goal"), 0.0);
}

TEST(TrajectoryMotor, OvershootsItsGoalBySpeedOverFrequencyTimesE) {
  // Critical damping: k = I w^2, d = 2 I w with w = 5 rad/s. After the stop the error is v t exp(-w t).
  Sim sim(
      wheel(R"(<trajectory name="m" joint="axle" stiffness="0.5" damping="0.2" velocity="0.7" goal="2.8"/>)"));
  double farthest = 0.0;
  for (int i = 0; i < 6000; ++i) {
    sim.run(1);
    farthest = std::max(farthest, sim.position("r/axle"));
  }
  const double overshoot = 0.7 / (5.0 * std::numbers::e);
  constexpr double kFirstOrderInTheStep = 2.0 * 5.0 * kStep;
  EXPECT_NEAR(farthest - 2.8, overshoot, kFirstOrderInTheStep * overshoot);
}

TEST(TrajectoryMotor, MovesToTheNextGoalForEitherSignOfItsVelocity) {
  Sim sim(wheel(R"(<trajectory name="m" joint="axle" stiffness="200" damping="4" velocity="0.5" goal="0.5"/>)",
                set("2 s", "r/m/goal", "-0.25")));
  sim.run(2000);
  EXPECT_EQ(sim.signal("r/m/reference"), 0.5);
  sim.run(1501);
  EXPECT_EQ(sim.signal("r/m/reference"), -0.25);
  EXPECT_EQ(sim.signal("r/m/at_goal"), 1.0);
}

TEST(TrajectoryMotor, ItsReferenceStaysFiniteAtTheLargestVelocity) {
  Sim sim(wheel(R"(<trajectory name="m" joint="axle" stiffness="200" damping="4" max_effort="1"/>)"));
  const Slot velocity = *sim.simulation().signals().find("r/m/velocity");
  for (const double sign : {1.0, -1.0}) {
    ASSERT_TRUE(sim.simulation().post({.action = SetSignal{velocity, sign * 1.7e308}}).ok());
    for (int i = 0; i < 4000; ++i) {
      if (!sim.simulation().step().ok()) break;  // the effort may be undefined; then the run ends by its status
      ASSERT_TRUE(std::isfinite(sim.signal("r/m/reference"))) << i;
    }
  }
}

TEST(TrajectoryMotor, DeflectsUnderLoadUnlessItHasAResetTime) {
  const auto off_goal = [](const std::string& reset) {
    Sim sim(
        lift(R"(<trajectory name="m" joint="lift" stiffness="5000" damping="200" velocity="0.5" goal="1" )" +
             reset + "/>"));
    sim.run(10'000);
    return 1.0 - sim.position("r/lift");
  };
  EXPECT_NEAR(off_goal(""), kCabin * kG / 5000.0, kRounding);
  EXPECT_NEAR(off_goal(R"(reset_time="0.2 s")"), 0.0, kRounding);
}

TEST(TrajectoryMotor, DoesNotWindUpAtItsMaximumEffort) {
  // 10 N do not lift 2 kg: the cabin rests on its stop until the goal is there, too. Meanwhile the integral has
  // not grown beyond its value when the 10 N were reached.
  Sim sim(R"(<robot name="r"><link name="rail"/><link name="cabin" parent="rail">
      <joint name="lift" type="slide" lower="0" upper="9"/><inertial mass="2" diagonal="0.1 0.1 0.1"/></link><actuators>
      <trajectory name="m" joint="lift" stiffness="5000" damping="20" reset_time="0.2" max_effort="10"
                  velocity="0.5" goal="1"/></actuators></robot>)" +
          set("5 s", "r/m/goal", "0"));
  sim.run(5000);
  EXPECT_EQ(sim.signal("r/m/force"), 10.0);
  EXPECT_NEAR(sim.position("r/lift"), 0.0, 1e-3);
  sim.run(2005);
  EXPECT_EQ(sim.signal("r/m/reference"), 0.0);
  EXPECT_LT(sim.signal("r/m/force"), 3.0);
}

}  // namespace
}  // namespace lockstep
