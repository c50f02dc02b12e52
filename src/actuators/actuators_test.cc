#include "actuators/actuators.h"

#include <gtest/gtest.h>

#include <fstream>

#include "actuators/rigs_testing.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

TEST(Actuators, ExamplesOfTheManualCanBeAssembled) {
  std::ifstream manual(LOCKSTEP_SOURCE_DIR "/docs/actuators.md");
  std::string examples;
  bool inside = false;
  int count = 0;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with("```")) {
      inside = line == "```xml";
      count += inside ? 1 : 0;
    } else if (inside) {
      examples += line + "\n";
    }
  }
  EXPECT_EQ(count, 11) << "one per kind";
  std::string links = R"(<link name="base"><sphere/></link>)";
  for (const char* joint : {R"("hip")", R"("axle")", R"("elbow")", R"("left-wheel")", R"("rope" type="slide")",
                            R"("lift" type="slide")", R"("shaker" type="slide")", R"("belt" type="slide")",
                            R"("crank")", R"("coupling" type="fixed" detachable="true")"}) {
    links +=
        fmt::format(R"(<link name="l{}" parent="base"><joint name={}/><sphere/></link>)", links.size(), joint);
  }
  const std::string scene = R"(<robot name="r">)" + links +
                            R"(<link name="head" parent="base"><joint name="neck"/><sphere/>
      <site name="pole"/></link><actuators>)" +
                            examples + R"(</actuators></robot>
      <object name="block"><sphere/><site name="top"/></object>)";
  EXPECT_NO_THROW(simulate(scene, default_registry(), LOCKSTEP_SOURCE_DIR "/scenarios/machines"));
}

TEST(Actuators, RestoredAtARandomStepContinueWithTheSameHash) {
  const std::string scenario = wheel(
      R"(<servo name="servo" joint="axle" stiffness="3" damping="0.1" max_speed="1" initial="0.5"/>
      <speed_servo name="speed" joint="axle" gain="0.1" max_effort="0.1" initial="0.3"/>
      <trajectory name="trajectory" joint="axle" stiffness="20" damping="0.4" reset_time="0.1" velocity="0.7" goal="0.2"/>
      <motor name="motor" joint="axle" initial="1"><point current="0" torque="0"/><point current="2" torque="0.1"/></motor>
      <torque name="torque" joint="axle" initial="0.01"/>)",
      dropper(R"(<lock name="l" joint="lock" reach="0.05"/>)", "", "d") +
          magnet(R"(stiffness="500" damping="5" torsional_stiffness="1" reach="0.2" max_force="60")", 0.05,
                 R"(<thruster name="load" body="ball" axis="1 2 3" torque="0.1"/></actuators>)") +
          set("0.05 s", "m/on", "1") + set("0.15 s", "load/force", "-60") + set("0.1 s", "d/l/hold", "0") +
          set("0.15 s", "d/l/hold", "1") + set("0.25 s", "r/trajectory/has_goal", "0"));

  constexpr std::int64_t kEnd = 400;
  Sim straight(scenario);
  straight.run(kEnd);
  Random chance(2026, "snapshots");
  for (int i = 0; i < 20; ++i) {
    const auto at = 1 + static_cast<std::int64_t>(chance.uniform() * static_cast<double>(kEnd - 1));
    Sim first(scenario);
    first.run(at);
    StateWriter writer;
    first.simulation().save(writer);
    Sim second(scenario);
    second.simulation().restore(writer.bytes());
    second.run(kEnd - at);
    EXPECT_EQ(second.simulation().hash(), straight.simulation().hash()) << "saved at step " << at;
  }
}

}  // namespace
}  // namespace lockstep
