#include "sensors/gyro.h"

#include <gtest/gtest.h>

#include "sensors/rigs_testing.h"

namespace lockstep {
namespace {

TEST(Gyro, ReadsTheRateAboutItsOwnAxes) {
  Simulation simulation = simulate(make_arm(3.0, 0.0));
  run_to(simulation, 1.0);
  EXPECT_LT((read_vector(simulation, "r/g") - Vec3(0.0, 3.0, 0.0)).norm(), 1e-9);
}

}  // namespace
}  // namespace lockstep
