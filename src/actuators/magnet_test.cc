#include "actuators/magnet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(Magnet, HeldMassOscillatesAtTheRootOfStiffnessOverMass) {
  // A mass of 2 kg on a spring of 2 (2 pi)^2 N/m oscillates at 1 Hz about its static deflection.
  const double stiffness = 2.0 * 4.0 * std::numbers::pi * std::numbers::pi;
  Sim sim(magnet(fmt::format(R"(on="true" stiffness="{}" reach="1")", stiffness), 0.05, "</actuators>"));
  const double rest = 5.0 - 2.0 * kG / stiffness;
  constexpr double kPeriodIsSecondOrderInTheStep = 1e-5;
  sim.run(500);
  EXPECT_NEAR(sim.place("ball").z(), rest - (4.95 - rest), kPeriodIsSecondOrderInTheStep);
  sim.run(500);
  EXPECT_NEAR(sim.place("ball").z(), 4.95, kPeriodIsSecondOrderInTheStep);
  EXPECT_EQ(sim.signal("m/gripping"), 1.0);
}

TEST(Magnet, GripsOnlyWhatIsWithinReachAndOnlyWhenSwitchedOn) {
  Sim sim(magnet(R"(stiffness="1000" damping="90" reach="0.1 m")", 0.05,
                 "</actuators>" + set("0.1 s", "m/on", "1") + set("1 s", "m/on", "0")));
  sim.run(101);
  EXPECT_EQ(sim.signal("m/gripping"), 1.0) << "it has fallen from 0.05 m to 0.099 m below";
  sim.run(900);
  EXPECT_EQ(sim.signal("m/gripping"), 0.0);
  EXPECT_EQ(sim.signal("m/force"), 0.0);

  Sim late(magnet(R"(stiffness="1000" damping="90" reach="0.1 m")", 0.05,
                  "</actuators>" + set("0.2 s", "m/on", "1")));
  late.run(201);
  EXPECT_EQ(late.signal("m/gripping"), 0.0);
}

TEST(Magnet, LosesItsGripWhenLoadPlusWeightExceedItsMaximumForce) {
  // The load grows as 40 N sin(2 pi 0.02 t); with the weight it reaches 30 N when the sine is (30 N - m g) / 40
  // N.
  Sim sim(magnet(R"(on="true" stiffness="20000" damping="400" reach="0.1" max_force="30 N")", 0.001,
                 R"(<thruster name="load" body="ball" axis="0 0 -1"/></actuators>
                 <controllers><sine name="grow" signal="load/force" amplitude="40" frequency="0.02 Hz"/></controllers>)"));
  sim.run(1);
  EXPECT_EQ(sim.signal("m/gripping"), 1.0);
  const auto torn = sim.run_until([&] { return sim.signal("m/gripping") == 0.0; });
  const double expected = std::asin((30.0 - 2.0 * kG) / 40.0) / (2.0 * std::numbers::pi * 0.02);
  constexpr double kDampingAddsToTheForce = 0.01;
  EXPECT_NEAR(static_cast<double>(torn) * kStep, expected, kDampingAddsToTheForce);
  sim.run(5);
  EXPECT_EQ(sim.signal("m/gripping"), 0.0) << "still near, but torn off";
}

TEST(Magnet, GripsAgainAfterOverloadOnlyWhenSwitchedOffAndOn) {
  // 1000 N/m at 50 mm are more than 30 N; rising at 1 m/s the ball is within 30 mm after 24 ms.
  const std::string scenario =
      R"(<object name="crane" static="true" position="0 0 5"><sphere collide="false"/><site name="pole"/></object>
      <object name="ball" position="0 0 4.95" velocity="0 0 1"><sphere radius="0.1" mass="2"/><site name="eye"/></object>
      <actuators><magnet name="m" a="crane/pole" b="ball/eye" on="true" stiffness="1000" reach="1" max_force="30"/>
      </actuators>)";
  Sim torn(scenario);
  torn.run(31);
  EXPECT_EQ(torn.signal("m/gripping"), 0.0);
  Sim switched(scenario + set("0.029 s", "m/on", "0") + set("0.03 s", "m/on", "1"));
  switched.run(31);
  EXPECT_EQ(switched.signal("m/gripping"), 1.0);
}

TEST(Magnet, BetweenTwoFreeBodiesConservesMomentumAndAddsNoEnergy) {
  Sim sim(R"(<object name="a"><sphere radius="0.1" mass="1"/><site name="s" position="0.1 0 0"/></object>
      <object name="b" position="0.25 0.02 0" velocity="-0.1 0.3 0.2" angular_velocity="1 2 3"><sphere radius="0.1" mass="3"/>
        <site name="s" position="-0.1 0.03 0"/></object>
      <material_pair a="default" b="default" collide="false"/>
      <actuators><magnet name="m" a="a/s" b="b/s" on="true" reach="0.1" stiffness="200" damping="2"
        torsional_stiffness="0.5" torsional_damping="0.01"/>
        <thruster name="up" body="a" axis="0 0 1" frame="world" force="9.81"/>
        <thruster name="up2" body="b" axis="0 0 1" frame="world" force="29.43"/></actuators>)");
  const World& world = sim.simulation().world();
  const Momentum before = world.report({.momentum = true}).momentum;
  const double energy =
      world.report({.energy = true}).energy.kinetic + 0.5 * 200.0 * Vec3(0.05, 0.05, 0.0).squaredNorm();
  sim.run(6000);
  EXPECT_EQ(sim.signal("m/gripping"), 1.0);
  EXPECT_TRUE(world.report({.momentum = true}).momentum.linear.isApprox(before.linear, kRounding));
  EXPECT_TRUE(world.report({.momentum = true}).momentum.angular.isApprox(before.angular, 1e-6));
  EXPECT_LT(world.report({.energy = true}).energy.kinetic, energy);
  // In the end they rotate as one body.
  EXPECT_NEAR((sim.velocity("a").angular - sim.velocity("b").angular).norm(), 0.0, 0.05);
}

TEST(Magnet, WithATorsionSpringOscillatesAtTheRootOfStiffnessOverInertia) {
  // 0.4 m r^2 = 8 g m^2; once around in a second with (2 pi)^2 times that.
  const double inertia = 0.4 * 2.0 * 0.01;
  const double stiffness = inertia * 4.0 * std::numbers::pi * std::numbers::pi;
  Sim sim(fmt::format(
      R"(<object name="crane" static="true" position="0 0 5"><sphere collide="false"/><site name="pole"/></object>
      <object name="ball" position="0 0 5" angular_velocity="0 0 1"><sphere radius="0.1" mass="2"/><site name="eye"/></object>
      <actuators><magnet name="m" a="crane/pole" b="ball/eye" on="true" stiffness="1e5" damping="500" reach="0.01"
      torsional_stiffness="{}"/></actuators>)",
      stiffness));
  sim.run(500);
  EXPECT_NEAR(sim.velocity("ball").angular.z(), -1.0, 1e-4);
  sim.run(500);
  EXPECT_NEAR(sim.velocity("ball").angular.z(), 1.0, 1e-4);
}

}  // namespace
}  // namespace lockstep
