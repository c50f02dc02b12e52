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

}  // namespace
}  // namespace lockstep
