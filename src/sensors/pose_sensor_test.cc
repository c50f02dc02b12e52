#include "sensors/pose_sensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "assemble/simulation_testing.h"

namespace lockstep {
namespace {

TEST(PoseSensor, ReadsPositionAndOrientationOfItsSiteInTheWorld) {
  // A site 0.5 m along x of an arm that is turned by 1 rad about the vertical, 2 m above the origin.
  Simulation simulation = simulate(R"(<robot name="r" position="0 0 2"><link name="base"/>
    <link name="arm" parent="base"><joint name="j" initial="1 rad"/><inertial mass="1" diagonal="1 1 1"/>
      <site name="tip" position="0.5 0 0"/></link>
    <sensors><pose name="tip" site="tip"/><pose name="arm" body="arm"/></sensors></robot>)");
  run_to(simulation, 0.0);
  constexpr double kRounding = 1e-12;
  EXPECT_LT((read_vector(simulation, "r/tip") - Vec3(0.5 * std::cos(1.0), 0.5 * std::sin(1.0), 2.0)).norm(),
            kRounding);
  EXPECT_LT((read_vector(simulation, "r/arm") - Vec3(0.0, 0.0, 2.0)).norm(), kRounding);
  EXPECT_NEAR(read_signal(simulation, "r/tip/qw"), std::cos(0.5), kRounding);
  EXPECT_LT((read_vector(simulation, "r/tip", "q") - Vec3(0.0, 0.0, std::sin(0.5))).norm(), kRounding);
}

}  // namespace
}  // namespace lockstep
