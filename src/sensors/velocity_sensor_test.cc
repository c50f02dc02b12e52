#include "sensors/velocity_sensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sensors/rigs_testing.h"

namespace lockstep {
namespace {

TEST(VelocitySensor, ReadsTheVelocityOfItsOriginInWorldOrOwnAxes) {
  Simulation simulation = simulate(make_arm(3.0, 0.0));
  run_to(simulation, 1.0);
  const Vec3 tangent(-std::sin(3.0), std::cos(3.0), 0.0);
  EXPECT_LT((read_vector(simulation, "r/world", "v") - 1.5 * tangent).norm(), 1e-9);
  EXPECT_LT((read_vector(simulation, "r/world", "w") - Vec3(0.0, 0.0, 3.0)).norm(), 1e-9);
  EXPECT_LT((read_vector(simulation, "r/own", "v") - Vec3(0.0, 0.0, -1.5)).norm(), 1e-9);
  EXPECT_LT((read_vector(simulation, "r/own", "w") - Vec3(0.0, 3.0, 0.0)).norm(), 1e-9);
}

TEST(VelocitySensor, AtTheStartReadsTheVelocityOfAFreeRobot) {
  Simulation simulation = simulate(R"(<robot name="r" rpy="0 0 90 deg">
    <link name="base"><joint name="root" type="free" velocity="1 2 3" angular_velocity="4 5 6"/>
      <inertial mass="1" diagonal="1 1 1"/></link>
    <link name="arm" parent="base" position="0.5 0 0">
      <joint name="ball" type="ball" angular_velocity="0 0 2"/><inertial mass="1" diagonal="1 1 1"/></link>
    <sensors><velocity name="base" body="base"/><velocity name="arm" body="arm"/></sensors></robot>)");
  ASSERT_TRUE(simulation.step().ok());
  const Vec3 v(1.0, 2.0, 3.0), w(4.0, 5.0, 6.0);
  EXPECT_LT((read_vector(simulation, "r/base", "v") - v).norm(), 1e-12);
  EXPECT_LT((read_vector(simulation, "r/base", "w") - w).norm(), 1e-12);
  EXPECT_LT((read_vector(simulation, "r/arm", "v") - (v + w.cross(Vec3(0.0, 0.5, 0.0)))).norm(), 1e-12);
  EXPECT_LT((read_vector(simulation, "r/arm", "w") - (w + Vec3(0.0, 0.0, 2.0))).norm(), 1e-12);
}

}  // namespace
}  // namespace lockstep
