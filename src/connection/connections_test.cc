#include "connection/connections.h"

#include <gtest/gtest.h>

#include <fstream>

#include "assemble/simulation_testing.h"
#include "base/temporary_folder_testing.h"

namespace lockstep {
namespace {

/// A pendulum with a motor, and further elements.
Simulation assemble_rod(const std::string& more, const AssembleOptions& options = {}) {
  const std::string text = R"(
    <scenario name="rod" step="1 ms">
      <robot name="r">
        <link name="stand"/>
        <link name="rod" parent="stand">
          <joint name="hinge" axis="0 1 0" initial="1 rad"/>
          <box size="0.02 0.02 1" position="0 0 -0.5" mass="1"/>
        </link>
        <sensors><joint_state name="hinge" joint="hinge"/></sensors>
        <actuators><torque name="motor" joint="hinge" initial="0.25"/></actuators>)" +
                           more + "</robot></scenario>";
  return simulate_text(text, options);
}

TEST(ConnectionsOfAScenario, LeaveTheCommandsUnchangedIfNotLive) {
  Simulation simulation = assemble_rod(
      R"(<connections><wire name="plc" address="tcp:127.0.0.1:0" reads="hinge/*" writes="motor/torque"/></connections>)");
  ASSERT_TRUE(simulation.run(10).ok());
  EXPECT_EQ(simulation.row()[*simulation.signals().find("r/motor/torque")], 0.25);
  EXPECT_EQ(simulation.connections()[0].name, "r/plc");
}

TEST(ConnectionsOfAScenario, WriteFedCommandsAtTheirPeriod) {
  Simulation simulation = assemble_rod(
      R"(<connections><wire name="plc" address="tcp:127.0.0.1:0" period="2 ms" writes="motor/torque"/></connections>)");
  const Slot torque = *simulation.signals().find("r/motor/torque");
  simulation.connections()[0].device->feed(
      {.step = 0, .is_fresh = true, .is_connected = true, .values = {-1.5}, .counts = {.bad = 2}});
  ASSERT_TRUE(simulation.run(1).ok());
  EXPECT_EQ(simulation.row()[torque], -1.5);
  EXPECT_EQ(simulation.row()[*simulation.signals().find("r/plc/bad")], 2.0);
  EXPECT_EQ(simulation.row()[*simulation.signals().find("r/plc/connected")], 1.0);
}

TEST(ConnectionsOfAScenario, HaveHealthSignalsThatASupervisorReads) {
  Simulation simulation = assemble_rod(R"(
    <controllers>
      <supervisor name="guard" initial="work">
        <state name="work"><when condition="plc/connected gt 0" then="safe"/></state>
        <state name="safe"/>
      </supervisor>
    </controllers>
    <connections><wire name="plc" address="tcp:127.0.0.1:0" reads="guard/state" writes="motor/torque"/></connections>)");
  const auto state = [&] { return simulation.row()[*simulation.signals().find("r/guard/state")]; };
  ASSERT_TRUE(simulation.run(1).ok());
  EXPECT_EQ(state(), 0.0);
  simulation.connections()[0].device->feed(
      {.step = 1, .is_fresh = true, .is_connected = true, .values = {0.0}, .counts = {}});
  ASSERT_TRUE(simulation.run(2).ok());
  EXPECT_EQ(state(), 1.0);
}

TEST(ConnectionsOfAScenario, HaveARoundTripSignalThatIsLoggedButNotPartOfTheState) {
  const TemporaryFolder folder;
  Simulation simulation = assemble_rod(R"(
    <connections><wire name="plc" address="tcp:127.0.0.1:0" writes="motor/torque"/></connections>
    <observers><csv name="log" file="log.csv" signals="plc/*"/></observers>)",
                                       {.output_folder = folder.path()});
  ASSERT_TRUE(simulation.run(2).ok());
  ASSERT_TRUE(simulation.finish().ok());
  std::ifstream log(folder.path() / "log.csv");
  std::string header;
  std::getline(log, header);
  EXPECT_NE(header.find("r/plc/late"), std::string::npos) << header;
  EXPECT_NE(header.find("r/plc/round_trip [s]"), std::string::npos) << header;
  for (const SignalInfo& info : simulation.state_signals()) EXPECT_NE(info.name, "r/plc/round_trip");
}

}  // namespace
}  // namespace lockstep
