#include "sensors/force_sensor.h"

#include <gtest/gtest.h>

#include "sensors/rigs_testing.h"

namespace lockstep {
namespace {

TEST(ForceSensor, ReadsTheWeightOfAHangingLoad) {
  for (const char* detachable : {"false", "true"}) {
    Simulation simulation = simulate(fmt::format(R"(<robot name="r" position="0 0 2"><link name="base"/>
      <link name="load" parent="base" rpy="90 0 0 deg"><joint name="lock" type="fixed" detachable="{}"/>
        <box size="0.1 0.1 0.1" position="0.2 0 0" mass="3"/></link>
      <sensors><force name="own" joint="lock"/><force name="world" joint="lock" axes="world"/></sensors>
      </robot>)",
                                                 detachable));
    run_to(simulation, 0.5);
    constexpr double kSettled = 1e-3;  // N
    EXPECT_LT((read_vector(simulation, "r/world", "force_") - Vec3(0.0, 0.0, 3.0 * kGravity)).norm(), kSettled);
    EXPECT_LT((read_vector(simulation, "r/own", "force_") - Vec3(0.0, 3.0 * kGravity, 0.0)).norm(), kSettled);
    EXPECT_LT((read_vector(simulation, "r/own", "torque_") - Vec3(0.0, 0.0, 0.2 * 3.0 * kGravity)).norm(),
              kSettled);
  }
}

TEST(ForceSensor, InAScaleReadsTheWeightOfPlateAndLoad) {
  Simulation simulation = simulate(kScale);
  run_to(simulation, 1.0);
  EXPECT_NEAR(read_signal(simulation, "scale/cell/force_z"), 3.0 * kGravity, kSettledForce);
}

TEST(ForceSensor, UnderAFixedPoleReadsTheWindOnIt) {
  for (const char* detachable : {"false", "true"}) {
    Simulation simulation = simulate(fmt::format(R"(<medium air_density="1.2 kg/m^3" wind="10 0 0 m/s"/>
      <robot name="r"><link name="base"/>
      <link name="pole" parent="base"><joint name="mount" type="fixed" detachable="{}"/>
        <box size="0.5 0.3 4" position="0 0 2" mass="50"/></link>
      <sensors><force name="f" joint="mount"/></sensors></robot>)",
                                                 detachable));
    run_to(simulation, 0.5);
    const double drag = 0.5 * 1.2 * 0.3 * 4.0 * 100.0, weight = (50.0 - 1.2 * 0.6) * kGravity;
    constexpr double kSettled = 1e-3;  // N and N m
    EXPECT_LT((read_vector(simulation, "r/f", "force_") - Vec3(-drag, 0.0, weight)).norm(), kSettled);
    EXPECT_LT((read_vector(simulation, "r/f", "torque_") - Vec3(0.0, -2.0 * drag, 0.0)).norm(), kSettled);
  }
}

TEST(ForceSensor, InTheLockOfAFixedHeadReadsTheWeightOfTheChain) {
  Simulation simulation = simulate(R"(<robot name="r" position="0 0 1"><chain fixed="true" mass="0.3">
    <sensor_module mass="0.1" measured="true"/><module count="2"/></chain></robot>)");
  run_to(simulation, 2.0);
  EXPECT_NEAR(read_signal(simulation, "r/lock0/force_z"), 0.7 * kGravity, kSettledForce);
}

TEST(ForceSensor, TurningWithItsLinkReadsTheCentripetalForceAlongOneAxis) {
  // 2 kg at 0.2 m from the axis at 50 rad/s: m w^2 r = 1000 N inwards, and the weight.
  Simulation simulation = simulate(R"(<robot name="r"><link name="base"/>
    <link name="arm" parent="base"><joint name="j" initial_velocity="50"/>
      <inertial mass="2" center="0.2 0 0" diagonal="0.01 0.01 0.01"/></link>
    <sensors><force name="f" joint="j"/></sensors></robot>)");
  run_to(simulation, 0.123);
  EXPECT_LT((read_vector(simulation, "r/f", "force_") - Vec3(-1000.0, 0.0, 2.0 * kGravity)).norm(), 1e-8);
  EXPECT_LT((read_vector(simulation, "r/f", "torque_") - Vec3(0.0, -0.2 * 2.0 * kGravity, 0.0)).norm(), 1e-8);
}

}  // namespace
}  // namespace lockstep
