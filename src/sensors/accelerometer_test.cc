#include "sensors/accelerometer.h"

#include <gtest/gtest.h>

#include "sensors/rigs_testing.h"

namespace lockstep {
namespace {

TEST(Accelerometer, InFreeFallReadsZero) {
  Simulation simulation = simulate(R"(
    <object name="stone" position="0 0 10" velocity="1 2 3"><box size="0.1 0.2 0.3" mass="1"/></object>
    <sensors><accelerometer name="a" body="stone"/></sensors>)");
  run_to(simulation, 0.5);
  EXPECT_LT(read_vector(simulation, "a").norm(), 1e-12);
}

TEST(Accelerometer, AtRestReadsGravityUpwardsInItsOwnAxes) {
  Simulation simulation = simulate(R"(
    <ground/>
    <object name="box" position="0 0 0.1"><box size="0.4 0.4 0.2" mass="2"/>
      <site name="level"/><site name="nose-down" rpy="0 90 0 deg" position="0.1 0 0.1"/></object>
    <sensors><accelerometer name="level" site="box/level"/>
      <accelerometer name="down" site="box/nose-down"/></sensors>)");
  run_to(simulation, 2.0);
  constexpr double kSettled = 1e-6;  // m/s^2
  EXPECT_LT((read_vector(simulation, "level") - Vec3(0.0, 0.0, kGravity)).norm(), kSettled);
  EXPECT_LT((read_vector(simulation, "down") - Vec3(-kGravity, 0.0, 0.0)).norm(), kSettled);
}

TEST(Accelerometer, OnASpinningArmReadsTheCentripetalAcceleration) {
  Simulation simulation = simulate(make_arm(3.0, 0.0));
  run_to(simulation, 1.0);
  EXPECT_LT((read_vector(simulation, "r/a") - Vec3(-9.0 * 0.5, kGravity, 0.0)).norm(), 1e-9);
}

TEST(Accelerometer, OnAnArmThatSpeedsUpReadsTheTangentialAccelerationToo) {
  Simulation simulation = simulate(make_arm(0.0, 0.01));
  run_to(simulation, 1.0);
  const double alpha = 0.01 / 0.02;
  // Of the instant at which the last step began.
  const double speed = alpha * (1.0 - to_seconds(simulation.model().step));
  EXPECT_LT((read_vector(simulation, "r/a") - Vec3(-speed * speed * 0.5, kGravity, -alpha * 0.5)).norm(), 1e-9);
}

TEST(Accelerometer, OnAFastWheelReadsTheSameWhereverTheOriginOfTheLinkIs) {
  // The rim, 0.2 m from an axis through which the link turns at 50 rad/s, feels 500 m/s^2 inwards.
  for (const double origin : {0.0, 0.2, -3.0}) {
    Simulation simulation = simulate(fmt::format(R"(<robot name="r"><link name="base"/>
      <link name="wheel" parent="base" position="{0} 0 0">
        <joint name="j" position="{1} 0 0" initial_velocity="50"/>
        <inertial mass="1" center="{1} 0 0" diagonal="0.02 0.02 0.02"/>
        <site name="rim" position="{2} 0 0"/></link>
      <sensors><accelerometer name="a" site="rim"/></sensors></robot>)",
                                                 origin, -origin, 0.2 - origin));
    run_to(simulation, 1.0);
    EXPECT_LT((read_vector(simulation, "r/a") - Vec3(-500.0, 0.0, kGravity)).norm(), 1e-9) << origin;
  }
}

TEST(Accelerometer, AtTheCentreOfASpinningBodyInFreeFallReadsZero) {
  Simulation simulation = simulate(R"(
    <object name="stone" position="0 0 10" angular_velocity="50 10 -20"><box size="0.1 0.1 0.1" mass="1"/></object>
    <sensors><accelerometer name="a" body="stone"/></sensors>)");
  run_to(simulation, 0.5);
  EXPECT_LT(read_vector(simulation, "a").norm(), 1e-12);
}

}  // namespace
}  // namespace lockstep
