#include <gtest/gtest.h>

#include "assemble/simulation_testing.h"

namespace lockstep {
namespace {

/// A disc that wobbles at 200 rad/s. MuJoCo's own integration of rotations adds energy in every step.
std::string make_disc(const std::string& engine) {
  return "<engine " + engine + R"(><mujoco steady_spin="false"/></engine>
    <object name="disc" position="0 0 5" angular_velocity="20 0 200"><cylinder radius="0.1" length="0.01" mass="1"/></object>)";
}

TEST(EnergyCheck, ARunThatGainsEnergyWithoutACauseEnds) {
  Simulation simulation = simulate(make_disc(""));
  const Status status = simulation.run(1000);
  EXPECT_EQ(status.outcome, Outcome::kEnergyGained) << to_string(status);
  EXPECT_EQ(status.step % kEnergyCheckPeriod, 0);
  EXPECT_TRUE(status.cause.starts_with("the energy has grown by ")) << status.cause;
  const EnergyBalance balance = simulation.energy_balance();
  EXPECT_GT(balance.unexplained, 0.1 * balance.energy.kinetic);
  EXPECT_EQ(simulation.now().step, status.step);
}

TEST(EnergyCheck, EndsALastShortPieceToo) {
  Simulation simulation = simulate(make_disc(""));
  const std::int64_t end = simulation.run(1000).step;
  Simulation shorter = simulate(make_disc(""));
  EXPECT_TRUE(shorter.run(end).ok());
  EXPECT_EQ(shorter.finish().outcome, Outcome::kEnergyGained);
}

TEST(EnergyCheck, ABoundOfZeroNeverEndsARun) {
  Simulation simulation = simulate(make_disc("energy_bound='0'"));
  EXPECT_TRUE(simulation.run(500).ok());
  EXPECT_GT(simulation.energy_balance().unexplained, 0.0);
}

}  // namespace
}  // namespace lockstep
