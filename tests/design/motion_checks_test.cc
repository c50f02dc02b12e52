#include "design/motion_checks.h"

#include <gtest/gtest.h>

#include "assemble/registry.h"
#include "model/build.h"
#include "scenario/assets.h"
#include "scenario/read.h"

namespace lockstep {
namespace {

std::unique_ptr<World> make_world(const Scenario& scenario) {
  Diagnostics diagnostics;
  auto model = build_model(scenario, Assets(scenario, "."), diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return default_registry().lists().engines.find("mujoco")->make_world(std::move(model));
}

/// A post with two bars in a row; the second can fold back onto the post.
Scenario folding(const char* limits) {
  return read_scenario(Document::read_text(
      fmt::format(
          "<scenario><robot name='r'><link name='post'><box size='0.1 0.1 1' position='0 0 0.5'/></link>"
          "<link name='a' parent='post' position='0 0 1.1'><joint name='j1' axis='0 1 0'/>"
          "<box size='0.9 0.1 0.1' position='0.5 0 0'/></link>"
          "<link name='b' parent='a' position='1 0 0'><joint name='j2' axis='0 1 0' {}/>"
          "<box size='1.2 0.1 0.1' position='0.65 0 0'/></link></robot></scenario>",
          limits),
      "t.xml", "."));
}

std::string sweep(const char* limits) {
  const Scenario scenario = folding(limits);
  Diagnostics diagnostics;
  check_sweeps(*make_world(scenario), diagnostics);
  return diagnostics.text();
}

TEST(Sweeps, WarnsOfACollisionWithinTheLimits) {
  // Rotated by 2.6 rad about y, the second bar passes through the post.
  EXPECT_NE(sweep("lower='-0.1' upper='2.6'").find("joint 'r/j2': 'r/post' and 'r/b' collide from"),
            std::string::npos)
      << sweep("lower='-0.1' upper='2.6'");
  EXPECT_EQ(sweep("lower='-0.1' upper='1'").find("joint 'r/j2'"), std::string::npos);
}

TEST(Sweeps, RestoreTheWorld) {
  const Scenario scenario = folding("lower='-0.1' upper='2.6'");
  const auto world = make_world(scenario);
  const auto bytes = [&] {
    StateWriter writer;
    world->save(writer);
    return std::vector<std::uint8_t>(writer.bytes().begin(), writer.bytes().end());
  };
  const auto before = bytes();
  Diagnostics diagnostics;
  check_sweeps(*world, diagnostics);
  EXPECT_EQ(bytes(), before);
}

TEST(FreeMotion, ADoublePendulumConservesEnergy) {
  Diagnostics diagnostics;
  check_energy(*make_world(in_free_motion(folding("damping='5'"))), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.text();
  EXPECT_NE(diagnostics.text().find("the energy stays within"), std::string::npos);
}

TEST(FreeMotion, DetectsDamping) {
  // With the damping in the file, the energy decreases, and the check reports it.
  Diagnostics diagnostics;
  check_energy(*make_world(folding("damping='5'")), diagnostics);
  EXPECT_NE(diagnostics.text().find("free motion: the energy changes by"), std::string::npos)
      << diagnostics.text();
}

}  // namespace
}  // namespace lockstep
