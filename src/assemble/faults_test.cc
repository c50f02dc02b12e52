#include "assemble/faults.h"

#include <gtest/gtest.h>

#include "assemble/carriage_testing.h"
#include "base/temporary_folder_testing.h"
#include "simulation/recording.h"
#include "simulation/replay.h"

namespace lockstep {
namespace {

TEST(FaultEvents, SwitchADeclaredFaultOnAndOff) {
  Simulation simulation = simulate_carriage(
      R"(<faults><fault name="dead" device="r/encoder" kind="cut"/></faults>
<event at="10 ms" action="fault" target="dead" length="5 ms"/>
<event at="30 ms" action="fault" target="dead"/><event at="50 ms" action="repair" target="dead"/>)");
  std::int64_t dead = 0;
  for (std::int64_t step = 0; step < 100; ++step) {
    const bool is_on = (step >= 10 && step < 15) || (step >= 30 && step < 50);
    ASSERT_EQ(read_signal(simulation, "faults/dead/active"), is_on ? 1.0 : 0.0) << step;
    run_to_step(simulation, step);
    ASSERT_EQ(read_signal(simulation, "r/encoder/speed"), is_on ? 0.0 : 2.0) << step;
    dead += is_on ? 1 : 0;
  }
  EXPECT_EQ(read_signal(simulation, "faults/dead/count"), static_cast<double>(dead));
}

TEST(FaultEvents, ALaterEventDecidesHowLongAFaultLasts) {
  Simulation simulation = simulate_carriage(
      R"(<faults><fault name="dead" device="r/encoder" kind="cut" at="10 ms" length="20 ms"/></faults>
<event at="20 ms" action="fault" target="dead" length="30 ms"/>)");
  run_to_step(simulation, 49);
  EXPECT_EQ(read_signal(simulation, "r/encoder/speed"), 0.0);
  run_to_step(simulation, 50);
  EXPECT_EQ(read_signal(simulation, "r/encoder/speed"), 2.0);
}

TEST(FaultEvents, RejectsInvalidFaultEvents) {
  Simulation simulation =
      simulate_carriage(R"(<faults><fault name="dead" device="r/encoder" kind="cut"/></faults>)");
  EXPECT_EQ(simulation.find_fault("alive"), std::nullopt);
  ASSERT_EQ(simulation.find_fault("dead"), FaultId{0});
  EXPECT_TRUE(simulation.post({0, 0, SetFault{FaultId{0}, true, 5}}).ok());
  EXPECT_EQ(simulation.post({0, 0, SetFault{FaultId{1}, true, 5}}).error(), "unknown fault");
  EXPECT_EQ(simulation.post({0, 0, SetFault{FaultId{-1}, true, 5}}).error(), "unknown fault");
  EXPECT_EQ(simulation.post({0, 0, SetFault{FaultId{0}, true, -5}}).error(),
            "a fault must last 0 or more steps");
}

constexpr const char* kMany = R"(<faults>
<fault name="stuck" device="r/encoder" kind="stick" at="50 ms" length="0.2 s" chance="0.7"/>
<fault name="weak" device="r/drive" kind="bias" value="-1" at="0 s" chance="0.5"/>
<fault name="dead" device="r/drive" kind="cut" chance="0.4"/></faults>
<event at="80 ms" action="fault" target="dead" length="0.1 s"/>)";

TEST(FaultySimulation, IsSavedAndRestoredDuringFaults) {
  Simulation simulation = simulate_carriage(kPull + std::string(kMany));
  run_to_step(simulation, 120);
  StateWriter writer;
  simulation.save(writer);
  Simulation other = simulate_carriage(kPull + std::string(kMany));
  other.restore(writer.bytes());
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(simulation.run(1).ok());
    ASSERT_TRUE(other.run(1).ok());
    ASSERT_EQ(simulation.hash(), other.hash()) << i;
  }
}

TEST(FaultySimulation, ReplayIncludesFaultsPostedDuringTheRun) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.rec";
  std::uint64_t hash = 0;
  {
    Simulation simulation = simulate_carriage(kMany);
    Recorder recorder(file, simulation, "<scenario/>", "1");
    for (int i = 0; i < 400; ++i) {
      if (i == 150) {
        EXPECT_TRUE(simulation.post({0, 0, SetFault{*simulation.find_fault("dead"), true, 60}}).ok());
      }
      if (i == 300) {
        EXPECT_TRUE(simulation.post({0, 0, SetFault{*simulation.find_fault("weak"), false, 0}}).ok());
      }
      ASSERT_TRUE(simulation.run(1).ok());
      ASSERT_TRUE(recorder.after_step(simulation).ok());
    }
    ASSERT_TRUE(recorder.finish(Outcome::kOk).ok());
    EXPECT_GT(read_signal(simulation, "faults/dead/count"), 0.0);
    hash = simulation.hash();
  }
  Simulation simulation = simulate_carriage(kMany);
  RecordingReader reader(file);
  const ReplayReport report = replay(simulation, reader);
  EXPECT_TRUE(report.same());
  EXPECT_EQ(report.steps, 400);
  EXPECT_EQ(report.hash, hash);
}

TEST(Faults, RejectsInvalidFaults) {
  const auto fault = [](const std::string& attributes) {
    return carriage_errors("<faults>\n<fault name=\"f\" " + attributes + "/></faults>");
  };
  EXPECT_EQ(fault(R"(kind="stick" device="r/encodr")"),
            "s.xml:7:30: error: <fault> 'faults/f': unknown sensor or actuator 'r/encodr'; did you mean "
            "'r/encoder'?\n");
  EXPECT_EQ(fault(R"(kind="bias" device="r/encoder" signal="position" value="1 rad")"),
            "s.xml:7:66: error: <fault> 'faults/f': value: unit 'rad' does not fit; expected a length in 'm', "
            "such as "
            "'500 mm'\n");
  EXPECT_EQ(
      fault(R"(kind="stick" device="r/encoder" signal="angle")"),
      "s.xml:7:49: error: <fault> 'faults/f': 'r/encoder' has no reading 'angle'; expected one of 'position', "
      "'speed', 'effort'\n");
  EXPECT_EQ(fault(R"(kind="cut" device="r/drive" value="1")"),
            "s.xml:7:45: error: <fault> 'faults/f': a value requires a 'signal' if an actuator is cut\n");
  EXPECT_EQ(
      fault(R"(kind="cut" device="r/drive" at="1.5 ms")"),
      "s.xml:7:45: error: <fault> 'faults/f': at 0.0015 s is not a multiple of the physics step (0.001 s)\n");
  EXPECT_EQ(fault(R"(kind="drop" connection="plc")"),
            "s.xml:7:29: error: <fault> 'faults/f': unknown connection 'plc'\n");
  EXPECT_EQ(carriage_errors(R"(<faults><fault name="f" kind="cut" device="r/drive"/>
<fault name="f" kind="cut" device="r/drive"/></faults>)"),
            "s.xml:7:8: error: <fault> 'faults/f': another fault has that name\n");
  EXPECT_EQ(carriage_errors(R"(<event at="1 s" action="fault" target="g"/>)"),
            "s.xml:6:1: error: event: unknown fault 'g'\n");
}

}  // namespace
}  // namespace lockstep
