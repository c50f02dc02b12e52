#include "sensors/region.h"

#include <gtest/gtest.h>

#include "assemble/scores.h"
#include "assemble/simulation_testing.h"

namespace lockstep {
namespace {

constexpr const char* kPieces = R"(
  <material name="foam" friction="0.5"/>
  <object name="cube1" position="0.1 0 0.5"><box size="0.02 0.02 0.02" material="foam"/></object>
  <object name="cube2" position="0.4 0 0.5"><box size="0.02 0.02 0.02" material="foam"/></object>
  <object name="ball1" position="-0.1 0 0.5"><sphere radius="0.02"/></object>)";

double count_at_start(const std::string& region) {
  Simulation simulation = simulate(std::string(kPieces) + "<sensors>" + region + "</sensors>");
  run_to(simulation, 0.0);
  return read_signal(simulation, "zone/count");
}

TEST(Region, CountsByNameByMaterialAndByBoth) {
  const std::string box = "<region name='zone' position='0 0 0.5' size='1 1 0.2' ";
  EXPECT_EQ(count_at_start(box + "objects='*'/>"), 3.0);
  EXPECT_EQ(count_at_start(box + "objects='ball*'/>"), 1.0);
  EXPECT_EQ(count_at_start(box + "objects='cube1 ball1'/>"), 2.0);
  EXPECT_EQ(count_at_start(box + "material='foam'/>"), 2.0);
  EXPECT_EQ(count_at_start(box + "material='foam' objects='*1'/>"), 1.0);
}

TEST(Region, CountsACentreOnItsBoundary) {
  EXPECT_EQ(count_at_start("<region name='zone' position='0 0 0.5' size='0.2 0.2 0.2' objects='*'/>"), 2.0);
  EXPECT_EQ(count_at_start("<region name='zone' position='0 0 0.5' size='0.199 0.2 0.2' objects='*'/>"), 0.0);
}

TEST(Region, ABodyThatFallsLeavesAtTheTimeOfFreeFall) {
  // The centre falls from 0.5 m through the lower side at 0.5 - 0.1 m after sqrt(2 * 0.1 / g) = 142.8 ms.
  Simulation simulation = simulate(std::string(kPieces) +
                                   "<sensors><region name='zone' position='0 0 0.5' size='1 1 0.2' "
                                   "objects='cube1'/></sensors>");
  run_to(simulation, 0.141);
  EXPECT_EQ(read_signal(simulation, "zone/count"), 1.0);
  run_to(simulation, 0.145);
  EXPECT_EQ(read_signal(simulation, "zone/count"), 0.0);
}

TEST(Region, MovesWithItsBody) {
  Simulation simulation = simulate(std::string(kPieces) + R"(
    <robot name="r" position="0.4 0 0.5" rpy="0 0 90 deg"><link name="tray"><site name="s"/></link>
    <sensors><region name="zone" site="s" size="0.1 0.8 0.1" objects="cube*"/></sensors></robot>)");
  run_to(simulation, 0.0);
  // Its long side is along x of the world.
  EXPECT_EQ(read_signal(simulation, "r/zone/count"), 2.0);
}

TEST(Region, NeedsSomethingToCount) {
  const auto error = [](const std::string& attributes) {
    return errors_of_text(
        "<scenario name='s'>\n<object name='cube'><box size='1 1 1'/></object><sensors>\n<region name='zone' "
        "size='1 1 1' " +
        attributes + "/></sensors></scenario>");
  };
  EXPECT_EQ(error(""), "s.xml:3:1: error: <region> 'zone': needs 'objects' or 'material'\n");
  EXPECT_NE(error("objects='cubes'").find("there is no body 'cubes'"), std::string::npos);
  EXPECT_NE(error("material='fom'").find("fom"), std::string::npos);
}

TEST(Score, IsAFormulaOverRegionsAndCommands) {
  const std::string text = std::string("<scenario name='s' step='1 ms'>") + kPieces + R"(
    <robot name="r"><link name="base"/><sensors><score name="own" formula="3 * panel/start + 1"/></sensors>
      <actuators><panel name="panel"/></actuators></robot>
    <sensors><score name="score" formula='10 * zone/count - min(4, r/own/points)'/>
      <region name="zone" position="0 0 0.5" size="1 1 0.2" objects="cube*"/></sensors>
    <event at="1 ms" action="set" target="r/panel/start" value="1"/></scenario>)";
  const Scenario scenario = read_scenario(Document::read_text(text, "s.xml", "."));
  Diagnostics diagnostics;
  Simulation simulation = assemble(scenario, Assets(scenario, "."), default_registry(), diagnostics);
  run_to(simulation, 0.0);
  EXPECT_EQ(read_signal(simulation, "score/points"), 20.0 - 1.0);
  run_to(simulation, 0.003);
  EXPECT_EQ(read_signal(simulation, "score/points"), 20.0 - 4.0);
  const std::vector<std::pair<std::string, double>> expected = {{"r/own", 4.0}, {"score", 16.0}};
  EXPECT_EQ(read_scores(scenario, simulation), expected);
}

TEST(Score, RejectsUnknownSignalsAndUnits) {
  const auto error = [](const std::string& formula) {
    return errors_of_text("<scenario name='s'>\n<sensors>\n<score name='score' formula='" + formula +
                          "'/></sensors></scenario>");
  };
  EXPECT_EQ(error("2 * zone/count"),
            "s.xml:3:21: error: <score> 'score': formula, character 5: unknown signal 'zone/count'; expected "
            "'time'\n");
  EXPECT_EQ(
      error("2 * time"),
      "s.xml:3:21: error: <score> 'score': the formula is a quantity with a unit; expected a plain number of "
      "points\n");
}

}  // namespace
}  // namespace lockstep
