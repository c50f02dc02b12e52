#include "actuators/lock.h"

#include <gtest/gtest.h>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(Lock, DetachesInTheStepOfTheCommandAndTheLoadFallsFreely) {
  Sim sim(dropper(R"(<lock name="l" joint="lock"/>)", set("0.1 s", "r/l/hold", "0")));
  sim.run(100);
  const double z = sim.place("r/load").z();
  EXPECT_EQ(sim.signal("r/l/holding"), 1.0);
  EXPECT_NEAR(z, 4.5, 1e-4);
  const double v = sim.velocity("r/load").linear.z();
  sim.run(200);
  EXPECT_EQ(sim.signal("r/l/holding"), 0.0);
  // Sum of 200 semi-implicit Euler steps, each with the speed at its end.
  EXPECT_NEAR(sim.place("r/load").z(), z + v * 0.2 - kG * kStep * kStep * 200.0 * 201.0 / 2.0, kRounding);
}

TEST(Lock, AttachesOnlyWithinReach) {
  const std::string events = set("0.1 s", "r/l/hold", "0") + set("0.15 s", "r/l/hold", "1");
  Sim near(dropper(R"(<lock name="l" joint="lock" reach="2 cm"/>)", events));
  near.run(1000);
  EXPECT_EQ(near.signal("r/l/holding"), 1.0) << "it fell 12.5 mm";
  EXPECT_NEAR(near.place("r/load").z(), 4.5, 1e-3);
  Sim far(dropper(R"(<lock name="l" joint="lock" reach="1 cm"/>)", events));
  far.run(1000);
  EXPECT_EQ(far.signal("r/l/holding"), 0.0);
}

TEST(Lock, CanBeDetachedAtTheStart) {
  Sim sim(dropper(R"(<lock name="l" joint="lock" hold="false"/>)", ""));
  sim.run(1);
  EXPECT_NEAR(sim.velocity("r/load").linear.z(), -kG * kStep, kRounding);
}

}  // namespace
}  // namespace lockstep
