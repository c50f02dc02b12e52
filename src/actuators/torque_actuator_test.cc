#include "actuators/torque_actuator.h"

#include <gtest/gtest.h>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(TorqueActuator, AcceleratesAWheelByTorqueOverInertia) {
  Sim sim(wheel(R"(<torque name="m" joint="axle" initial="0.1 N*m"/>)"));
  sim.run(500);
  EXPECT_NEAR(sim.speed("r/axle"), 0.1 / kInertia * 0.5, kRounding);
}

TEST(TorqueActuator, ClampsTheCommandInBothDirections) {
  Sim sim(lift(R"(<torque name="m" joint="lift" initial="-500 N" limit="30 N"/>)",
               set("0.5 s", "r/m/force", "500")));
  sim.run(500);
  const double down = (-30.0 / kCabin - kG) * 0.5;
  EXPECT_NEAR(sim.speed("r/lift"), down, kRounding);
  sim.run(500);
  EXPECT_NEAR(sim.speed("r/lift"), down + (30.0 / kCabin - kG) * 0.5, kRounding);
}

}  // namespace
}  // namespace lockstep
