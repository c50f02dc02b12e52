#include "actuators/speed_servo.h"

#include <gtest/gtest.h>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(SpeedServo, LagsItsTargetByLoadOverGain) {
  Sim sim(lift(R"(<speed_servo name="m" joint="lift" gain="200 N*s/m" initial="0.5 m/s"/>)"));
  sim.run(1000);
  EXPECT_NEAR(sim.speed("r/lift"), 0.5 - kCabin * kG / 200.0, kRounding);
}

TEST(SpeedServo, AcceleratesWithItsMaximumEffortUntilItIsNear) {
  Sim sim(lift(R"(<speed_servo name="m" joint="lift" gain="500" initial="3" max_effort="30 N"/>)"));
  sim.run(500);
  EXPECT_NEAR(sim.speed("r/lift"), (30.0 / kCabin - kG) * 0.5, kRounding);
}

TEST(SpeedServo, ClampsItsTargetToTheMaximumSpeed) {
  Sim sim(wheel(R"(<speed_servo name="m" joint="axle" gain="1" initial="-10" max_speed="2 rad/s"/>)"));
  sim.run(2000);
  EXPECT_NEAR(sim.speed("r/axle"), -2.0, kRounding);
}

}  // namespace
}  // namespace lockstep
