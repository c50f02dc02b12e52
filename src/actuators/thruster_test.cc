#include "actuators/thruster.h"

#include <gtest/gtest.h>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

TEST(Thruster, AcceleratesAMassByForceOverMass) {
  Sim sim(R"(<object name="ball" position="0 0 5"><sphere radius="0.1" mass="4"/></object>
      <actuators><thruster name="jet" body="ball" axis="0 0 3" force="60" max_force="50 N"/></actuators>)");
  sim.run(1000);
  EXPECT_NEAR(sim.velocity("ball").linear.z(), 50.0 / 4.0 - kG, kRounding);
}

TEST(Thruster, SpinsUpABodyByTorqueOverInertia) {
  Sim sim(R"(<object name="ball" position="0 0 5"><sphere radius="0.5" mass="4"/></object>
      <actuators><thruster name="jet" body="ball" axis="0 1 0" torque="0.2 N*m"/></actuators>)");
  sim.run(1000);
  EXPECT_NEAR(sim.velocity("ball").angular.y(), 0.2 / (0.4 * 4.0 * 0.25), kRounding);
}

TEST(Thruster, AtASiteOffTheCentreOfMassAlsoSpinsTheBody) {
  Sim sim(R"(<object name="ball" position="0 0 5"><sphere radius="0.5" mass="4"/>
        <site name="side" position="0.5 0 0" rpy="0 90 0 deg"/></object>
      <actuators><thruster name="jet" site="ball/side" axis="-1 0 0" force="1 N"/></actuators>)");
  // The site's x axis points down, so that the force pushes up at 0.5 m from the centre, against g.
  sim.run(1);
  EXPECT_NEAR(sim.velocity("ball").angular.y(), -0.5 * 1.0 / (0.4 * 4.0 * 0.25) * kStep, kRounding);
  EXPECT_NEAR(sim.velocity("ball").linear.z(), (1.0 / 4.0 - kG) * kStep, kRounding);
}

TEST(Thruster, RotatesWithItsBodyOnlyInItsOwnFrame) {
  const auto push = [](const std::string& frame) {
    Sim sim(R"(<object name="ball" position="0 0 5" rpy="0 90 0 deg"><sphere radius="0.1" mass="1"/></object>
        <actuators><thruster name="jet" body="ball" force="1 N" frame=")" +
            frame + R"("/></actuators>)");
    sim.run(1);
    return Vec3(sim.velocity("ball").linear + Vec3(0.0, 0.0, kG * kStep));
  };
  EXPECT_TRUE(push("own").isApprox(Vec3(kStep, 0.0, 0.0), kRounding));
  EXPECT_TRUE(push("world").isApprox(Vec3(0.0, 0.0, kStep), kRounding));
}

}  // namespace
}  // namespace lockstep
