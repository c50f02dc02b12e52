#include "sensors/joint_sensor.h"

#include <gtest/gtest.h>

#include "sensors/rigs_testing.h"

namespace lockstep {
namespace {

TEST(JointSensor, ReadsAngleSpeedAndTheEffortOfItsActuators) {
  Simulation simulation = simulate(make_arm(0.0, 0.01));
  run_to(simulation, 1.0);
  EXPECT_NEAR(read_signal(simulation, "r/j/speed"), 0.5, 1e-9);
  EXPECT_NEAR(read_signal(simulation, "r/j/angle"), 0.25, 1e-3);
  EXPECT_EQ(read_signal(simulation, "r/j/effort"), 0.01);
}

}  // namespace
}  // namespace lockstep
