#include "actuators/motor.h"

#include <gtest/gtest.h>

#include <numbers>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(Motor, WithConstantTorqueAcceleratesByTorqueOverInertia) {
  Sim sim(wheel(R"(<motor name="m" joint="axle" initial="2">
      <point current="0" torque="0"/><point current="4" torque="0.4"/></motor>)"));
  // 0.2 N m give 10 rad/s^2: 5 rad/s after half a second.
  EXPECT_EQ(sim.run_until([&] { return sim.speed("r/axle") >= 5.0 - kRounding; }), 500);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), 0.2);
}

TEST(Motor, WithTorqueFallingOverSpeedApproachesNoLoadSpeedExponentially) {
  Sim sim(wheel(R"(<motor name="m" joint="axle" initial="1">
      <point current="0" speed="0" torque="0"/><point current="0" speed="40" torque="0"/>
      <point current="1" speed="0" torque="1"/><point current="1" speed="40" torque="0"/></motor>)"));
  const double time_constant = kInertia * 40.0 / 1.0;
  // To half the no-load speed it takes ln 2 time constants, 554.5 steps.
  const std::int64_t steps = sim.run_until([&] { return sim.speed("r/axle") >= 20.0; });
  EXPECT_NEAR(static_cast<double>(steps), time_constant * std::numbers::ln2 / kStep, 1.0);
  sim.run(20'000);
  EXPECT_NEAR(sim.speed("r/axle"), 40.0, 1e-6);
}

TEST(Motor, BehindAGearLiftsAtTheSpeedWhereItsForceEqualsTheWeight) {
  Sim sim(lift(R"(<motor name="m" joint="lift" initial="1" gear="100 rad/m" efficiency="0.8">
      <point current="0" speed="0" torque="0"/><point current="0" speed="200" torque="0"/>
      <point current="1" speed="0" torque="0.5"/><point current="1" speed="200" torque="0"/></motor>)"));
  sim.run(5000);
  const double stall = 100.0 * 0.8 * 0.5;
  EXPECT_NEAR(sim.speed("r/lift"), 200.0 / 100.0 * (1.0 - kCabin * kG / stall), kRounding);
  EXPECT_NEAR(sim.signal("r/m/force"), kCabin * kG, kRounding);
}

TEST(Motor, ClampsTheCurrentInBothDirections) {
  Sim sim(wheel(R"(<motor name="m" joint="axle" initial="100" max_current="2">
      <point current="0" torque="0"/><point current="4" torque="0.4"/></motor>)",
                set("1 s", "r/m/current", "-100")));
  sim.run(1);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), 0.2);
  sim.run(1000);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), -0.2);
}

TEST(Motor, BehavesTheSameWithItsFilePackedIntoTheScenario) {
  const std::filesystem::path file = LOCKSTEP_SOURCE_DIR "/scenarios/machines/motor-hoist.xml";
  const auto hash_of = [](const Document& document) {
    const Scenario scenario = read_scenario(document);
    Diagnostics diagnostics;
    Simulation simulation =
        assemble(scenario, Assets(scenario, document.root_folder()), default_registry(), diagnostics);
    EXPECT_TRUE(simulation.run(100).ok());
    return simulation.hash();
  };
  const Document document = Document::read_file(file);
  EXPECT_EQ(hash_of(Document::read_text(pack(document), "packed.xml", "/nowhere")), hash_of(document));
}

}  // namespace
}  // namespace lockstep
