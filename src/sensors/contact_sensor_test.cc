#include "sensors/contact_sensor.h"

#include <gtest/gtest.h>

#include "sensors/rigs_testing.h"

namespace lockstep {
namespace {

TEST(ContactForceSensor, ReadsTheWeightOnTheBlockUpwardsAndOnThePlateDownwards) {
  Simulation simulation = simulate(kScale);
  run_to(simulation, 1.0);
  EXPECT_LT((read_vector(simulation, "block") - Vec3(0.0, 0.0, 2.0 * kGravity)).norm(), kSettledForce);
  EXPECT_LT((read_vector(simulation, "plate") + Vec3(0.0, 0.0, 2.0 * kGravity)).norm(), kSettledForce);
}

TEST(TouchSensor, ReadsOneAboveItsThresholdAndZeroBelow) {
  Simulation simulation = simulate(kScale);
  ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(read_signal(simulation, "scale/any/touch"), 0.0);  // before the first step nothing is known
  run_to(simulation, 1.0);
  EXPECT_EQ(read_signal(simulation, "scale/any/touch"), 1.0);
  EXPECT_EQ(read_signal(simulation, "scale/top/touch"), 1.0);
  EXPECT_EQ(read_signal(simulation, "scale/heavy/touch"), 0.0);  // the load is 19.6 N
}

TEST(ContactSensor, TellsWhichObjectsAndMaterialsTouch) {
  Simulation simulation = simulate(kScale);
  run_to(simulation, 1.0);
  EXPECT_EQ(read_signal(simulation, "pair/touch"), 1.0);
  EXPECT_NEAR(read_signal(simulation, "pair/force"), 2.0 * kGravity, kSettledForce);
  EXPECT_EQ(read_signal(simulation, "pair/points"), 4.0);  // the corners of the block
  EXPECT_EQ(read_signal(simulation, "scale/ball/touch"), 0.0);
  EXPECT_EQ(read_signal(simulation, "scale/ball/force"), 0.0);
  EXPECT_EQ(read_signal(simulation, "ground/points"), 1.0);
  EXPECT_EQ(read_signal(simulation, "steel/touch"), 1.0);
  EXPECT_NEAR(read_signal(simulation, "steel/force"), 0.5 * kGravity, kSettledForce);
  EXPECT_NEAR(read_signal(simulation, "rubber/force"), 2.0 * kGravity, kSettledForce);
}

}  // namespace
}  // namespace lockstep
