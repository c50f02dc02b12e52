#include "actuators/panel.h"

#include <gtest/gtest.h>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(Panel, KeepsTheStateOfItsButtonsAndMovesNothing) {
  Sim sim(wheel("<panel name='p'/>", set("10 ms", "r/p/a", "1") + set("20 ms", "r/p/a", "0")));
  sim.run(5);
  EXPECT_EQ(sim.signal("r/p/a"), 0.0);
  sim.run(10);
  EXPECT_EQ(sim.signal("r/p/a"), 1.0);
  sim.run(10);
  EXPECT_EQ(sim.signal("r/p/a"), 0.0);
  EXPECT_EQ(sim.position("r/axle"), 0.0);
}

}  // namespace
}  // namespace lockstep
