#include <gtest/gtest.h>

#include "assemble/assemble.h"
#include "scenario/read.h"

namespace lockstep {
namespace {

std::string scenario_text(const std::string& supervisor) {
  return R"(<scenario name="s" gravity="0 0 0"><robot name="r"><link name="base"/>
<link name="a" parent="base"><joint name="j"/><box mass="1"/></link>
<sensors><joint name="j" joint="j"/></sensors>
<actuators><servo name="j" joint="j" max_speed="1"/></actuators>
<controllers>
)" + supervisor +
         "\n</controllers></robot></scenario>";
}

Simulation make_simulation(const std::string& supervisor) {
  const Scenario scenario = read_scenario(Document::read_text(scenario_text(supervisor), "s.xml", "."));
  Diagnostics diagnostics;
  return assemble(scenario, Assets(scenario, "."), default_registry(), diagnostics);
}

std::string errors_of(const std::string& supervisor) {
  try {
    (void)make_simulation(supervisor);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kThereAndBack = R"(<supervisor name="brain" initial="there">
<state name="back"><set signal="j/target" value="0 deg"/></state>
<state name="there"><set signal="j/target" value="90 deg"/>
<controllers><sine name="wave" signal="j/target" amplitude="0.1" offset="1.5" period="2 ms"/></controllers>
<when condition="j/angle gt 20 deg" then="back" after="50 ms"/></state></supervisor>)";

TEST(SupervisorDevice, GoesFromStateToStateOnItsSignals) {
  Simulation simulation = make_simulation(kThereAndBack);
  const auto value = [&](const char* name) { return simulation.row()[*simulation.signals().find(name)]; };
  ASSERT_TRUE(simulation.run(1).ok());
  EXPECT_EQ(value("r/brain/state"), 1.0);
  EXPECT_EQ(value("r/j/target"), 1.5);
  double crossed = -1.0;
  while (value("r/brain/state") == 1.0 && simulation.now().step < 5000) {
    ASSERT_TRUE(simulation.run(1).ok());
    if (crossed < 0.0 && value("r/j/angle") > 0.3490658503988659) crossed = value("time");
  }
  EXPECT_NEAR(value("time") - crossed, 0.05, 1e-9);
  EXPECT_EQ(value("r/j/target"), 0.0);
  EXPECT_EQ(value("r/brain/time_in_state"), 0.0);
}

TEST(SupervisorDevice, TakesPartInSnapshots) {
  Simulation simulation = make_simulation(kThereAndBack);
  ASSERT_TRUE(simulation.run(400).ok());
  StateWriter writer;
  simulation.save(writer);
  Simulation other = make_simulation(kThereAndBack);
  other.restore(writer.bytes());
  ASSERT_TRUE(simulation.run(300).ok());
  ASSERT_TRUE(other.run(300).ok());
  EXPECT_EQ(simulation.hash(), other.hash());
}

TEST(SupervisorDevice, SaysWhereItIsWrong) {
  EXPECT_EQ(
      errors_of(
          R"(<supervisor name="b"><state name="x"><when condition="j/angle gt 1 m" then="x"/></state></supervisor>)"),
      "s.xml:6:44: error: <when> 'r/b': condition, character 12: this has 'm', but what stands before it has "
      "'rad'\n");
  EXPECT_EQ(
      errors_of(
          R"(<supervisor name="b"><state name="x"><when condition="time gt 1" then="y"/></state></supervisor>)"),
      "s.xml:6:66: error: <when> 'r/b': unknown state 'y'; did you mean 'x'?\n");
  EXPECT_EQ(errors_of(R"(<supervisor name="b"><state name="x"/><state name="x"/></supervisor>)"),
            "s.xml:6:39: error: <supervisor> 'r/b': state 'x' is there twice\n");
  EXPECT_EQ(
      errors_of(
          R"(<supervisor name="b"><state name="x"><set signal="j/target" value="1 m"/></state></supervisor>)"),
      "s.xml:6:61: error: <set> 'r/b': value: unit 'm' does not fit; expected an angle in 'rad', such as '90 "
      "deg'\n");
  EXPECT_NE(
      errors_of(
          R"(<supervisor name="b"><state name="x"><controllers><supervisor name="c"><state name="y"/></supervisor></controllers></state></supervisor>)")
          .find("there is no controller <supervisor> for a state"),
      std::string::npos);
  EXPECT_EQ(
      errors_of(
          R"(<supervisor name="b" period="10 ms"><state name="x"><controllers><sine name="c" signal="j/target" period="15 ms"/></controllers></state></supervisor>)"),
      "s.xml:6:99: error: <sine> 'r/c': its period is not a multiple of that of <supervisor> 'r/b'\n");
}

}  // namespace
}  // namespace lockstep
