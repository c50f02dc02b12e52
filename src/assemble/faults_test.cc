#include <gtest/gtest.h>

#include <cmath>

#include "assemble/assemble.h"
#include "base/temporary_folder_testing.h"
#include "scenario/read.h"
#include "simulation/recording.h"
#include "simulation/replay.h"

/// Faults of devices, in a scenario whose truth is known: a carriage of 1 kg on a level rail, 2 m/s at the
/// start, with two sensors of which one can fail; the step is 1 ms.
namespace lockstep {
namespace {

constexpr const char* kCarriage = R"(<robot name="r"><link name="base"/>
<link name="carriage" parent="base"><joint name="rail" type="slide" axis="1 0 0" initial_velocity="2"/>
<inertial mass="1" diagonal="1 1 1"/></link>
<sensors><joint name="truth" joint="rail"/><joint name="encoder" joint="rail"/></sensors>
<actuators><torque name="drive" joint="rail"/></actuators></robot>
)";

Simulation make_simulation(const std::string& inside) {
  const Scenario scenario = read_scenario(Document::read_text(
      "<scenario name='s' step='1 ms' gravity='0 0 0'>" + (kCarriage + inside) + "</scenario>", "s.xml", "."));
  Diagnostics diagnostics;
  return assemble(scenario, Assets(scenario, "."), default_registry(), diagnostics);
}

std::string errors_of(const std::string& inside) {
  try {
    (void)make_simulation(inside);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

double read(const Simulation& simulation, const std::string& signal) {
  return simulation.row()[*simulation.signals().find(signal)];
}

/// Takes steps up to and with the one that begins at `step`, so that the row is that of this instant.
void run_to(Simulation& simulation, std::int64_t step) {
  ASSERT_TRUE(simulation.run(step + 1 - simulation.now().step).ok());
}

double speed(const Simulation& simulation) {
  return simulation.world().joint_velocity(JointId{0})[0];
}

TEST(FaultySensor, AStuckEncoderReadsItsLastValueExactlyWhileTheFaultLasts) {
  Simulation simulation = make_simulation(
      R"(<faults><fault name="stuck" device="r/encoder" kind="stick" at="0.5 s" length="0.2 s"/></faults>)");
  run_to(simulation, 499);
  const double last = read(simulation, "r/encoder/position");
  EXPECT_EQ(last, read(simulation, "r/truth/position"));
  EXPECT_NEAR(last, 2.0 * 0.499, 1e-12);
  for (std::int64_t step = 500; step < 700; ++step) {
    ASSERT_EQ(read(simulation, "faults/stuck/active"), 1.0);  // set before the step begins
    run_to(simulation, step);
    ASSERT_EQ(read(simulation, "r/encoder/position"), last);
  }
  run_to(simulation, 700);
  EXPECT_EQ(read(simulation, "r/encoder/position"), read(simulation, "r/truth/position"));
  EXPECT_EQ(read(simulation, "faults/stuck/active"), 0.0);
  EXPECT_EQ(read(simulation, "faults/stuck/count"), 200.0);
}

TEST(FaultySensor, ABiasIsAddedToTheQuantityThatItNamesAndToNoOther) {
  Simulation simulation = make_simulation(
      R"(<faults><fault name="off" device="r/encoder" signal="position" kind="bias" value="3 mm" at="0 s"/></faults>)");
  for (std::int64_t step = 0; step < 100; ++step) {
    run_to(simulation, step);
    ASSERT_EQ(read(simulation, "r/encoder/position"), read(simulation, "r/truth/position") + 0.003);
    ASSERT_EQ(read(simulation, "r/encoder/speed"), read(simulation, "r/truth/speed"));
  }
}

TEST(FaultySensor, ACutSensorReadsZeroOrTheValueThatStandsForNoSignal) {
  Simulation simulation = make_simulation(
      R"(<faults><fault name="dead" device="r/encoder" signal="position" kind="cut" at="10 ms"/>
<fault name="high" device="r/encoder" signal="speed" kind="cut" value="99" at="20 ms"/></faults>)");
  run_to(simulation, 15);
  EXPECT_EQ(read(simulation, "r/encoder/position"), 0.0);
  EXPECT_EQ(read(simulation, "r/encoder/speed"), 2.0);
  run_to(simulation, 25);
  EXPECT_EQ(read(simulation, "r/encoder/speed"), 99.0);
}

TEST(FaultySensor, ABiasOnAStuckSensorIsAddedOnceHoweverLongItSticks) {
  Simulation simulation = make_simulation(
      R"(<faults><fault name="stuck" device="r/encoder" kind="stick" at="5 ms"/>
<fault name="off" device="r/encoder" kind="bias" value="1" at="0 s" signal="position"/></faults>)");
  run_to(simulation, 4);
  const double last = read(simulation, "r/truth/position") + 1.0;
  run_to(simulation, 300);
  EXPECT_EQ(read(simulation, "r/encoder/position"), last);
}

TEST(FaultySensor, ThatSticksFromItsFirstCallReadsTheFirstValue) {
  Simulation simulation =
      make_simulation(R"(<faults><fault name="stuck" device="r/encoder" kind="stick" at="0 s"/></faults>)");
  run_to(simulation, 100);
  EXPECT_EQ(read(simulation, "r/encoder/speed"), 2.0);
  EXPECT_EQ(read(simulation, "r/encoder/position"), 0.0);
}

TEST(FaultySensor, StrikesByChanceAtTheRightRateWhateverElseThereIs) {
  constexpr const char* kFault =
      R"(<fault name="rare" device="r/encoder" signal="position" kind="cut" chance="0.3" at="0 s"/>)";
  Simulation alone = make_simulation(fmt::format("<faults>{}</faults>", kFault));
  Simulation among = make_simulation(fmt::format(
      R"(<faults><fault name="other" device="r/encoder" kind="bias" signal="speed" value="1" chance="0.5"
at="0 s"/>{}<fault name="third" device="r/truth" kind="stick" chance="0.9" at="0 s"/></faults>)",
      kFault));
  constexpr int kCalls = 10'000;
  for (int step = 0; step < kCalls; ++step) {
    ASSERT_TRUE(alone.run(1).ok());
    ASSERT_TRUE(among.run(1).ok());
    ASSERT_EQ(read(alone, "faults/rare/count"), read(among, "faults/rare/count"));
  }
  const double five_sigma = 5.0 * std::sqrt(kCalls * 0.3 * 0.7);
  EXPECT_NEAR(read(alone, "faults/rare/count"), kCalls * 0.3, five_sigma);
  EXPECT_NEAR(read(among, "faults/other/count"), kCalls * 0.5, five_sigma);
}

TEST(FaultySensor, WithAPeriodFailsByItsOwnCalls) {
  Simulation simulation = make_simulation(
      R"(<sensors><joint name="slow" joint="r/rail" period="10 ms"/></sensors>
<faults><fault name="stuck" device="slow" kind="stick" at="0 s" length="1 s"/></faults>)");
  run_to(simulation, 1500);
  EXPECT_EQ(read(simulation, "faults/stuck/count"), 100.0);
}

constexpr const char* kPull = R"(<event at="0 s" action="set" target="r/drive/force" value="3"/>)";

TEST(FaultyActuator, ThatIsCutLeavesTheBodyToItself) {
  Simulation simulation = make_simulation(
      std::string(kPull) +
      R"(<faults><fault name="dead" device="r/drive" kind="cut" at="1 s" length="0.5 s"/></faults>)");
  run_to(simulation, 999);
  const double coasting = speed(simulation);
  EXPECT_NEAR(coasting, 2.0 + 3.0 * 1.0, 1e-9);
  for (std::int64_t step = 1000; step < 1500; ++step) {
    run_to(simulation, step);
    ASSERT_EQ(speed(simulation), coasting);
    ASSERT_EQ(read(simulation, "r/drive/force"), 3.0);  // what is commanded stays in the row
  }
  run_to(simulation, 1999);
  EXPECT_NEAR(speed(simulation), coasting + 3.0 * 0.5, 1e-9);
}

TEST(FaultyActuator, AServoWithoutPowerFallsFreelyAndTellsOfNoForce) {
  const Scenario scenario = read_scenario(Document::read_text(R"(<scenario name='s' step='1 ms'><robot name="r">
<link name="base"/><link name="car" parent="base"><joint name="shaft" type="slide"/><inertial mass="2" diagonal="1 1 1"/></link>
<actuators><servo name="hold" joint="shaft" stiffness="1e5" damping="2e3"/></actuators></robot>
<faults><fault name="dead" device="r/hold" kind="cut" at="1 s"/></faults></scenario>)",
                                                              "s.xml", "."));
  Diagnostics diagnostics;
  Simulation simulation = assemble(scenario, Assets(scenario, "."), default_registry(), diagnostics);
  run_to(simulation, 999);
  EXPECT_NEAR(read(simulation, "r/hold/force"), 2.0 * 9.81, 1e-6);
  run_to(simulation, 1499);
  EXPECT_NEAR(speed(simulation), -9.81 * 0.5, 1e-6);
  EXPECT_EQ(read(simulation, "r/hold/force"), 0.0);
}

TEST(FaultyActuator, ThatSticksGoesOnWithTheCommandOfTheCallBefore) {
  Simulation simulation =
      make_simulation(std::string(kPull) + R"(<event at="1 s" action="set" target="r/drive/force" value="-50"/>
<faults><fault name="stuck" device="r/drive" kind="stick" at="1 s"/></faults>)");
  run_to(simulation, 1999);
  EXPECT_NEAR(speed(simulation), 2.0 + 3.0 * 2.0, 1e-9);
  EXPECT_EQ(read(simulation, "r/drive/force"), -50.0);
}

TEST(FaultyActuator, SeesABiasedAndACutCommandWhileTheRowKeepsWhatWasCommanded) {
  Simulation simulation = make_simulation(
      std::string(kPull) + R"(<faults><fault name="off" device="r/drive" kind="bias" value="1 N" at="0 s"/>
<fault name="stop" device="r/drive" signal="force" kind="cut" value="-2 N" at="1 s"/></faults>)");
  run_to(simulation, 999);
  EXPECT_NEAR(speed(simulation), 2.0 + 4.0 * 1.0, 1e-9);
  run_to(simulation, 1999);
  EXPECT_NEAR(speed(simulation), 6.0 - 2.0 * 1.0, 1e-9);
  EXPECT_EQ(read(simulation, "r/drive/force"), 3.0);
}

TEST(FaultEvents, SwitchADeclaredFaultOnAndOff) {
  Simulation simulation = make_simulation(
      R"(<faults><fault name="dead" device="r/encoder" kind="cut"/></faults>
<event at="10 ms" action="fault" target="dead" length="5 ms"/>
<event at="30 ms" action="fault" target="dead"/><event at="50 ms" action="repair" target="dead"/>)");
  std::int64_t dead = 0;
  for (std::int64_t step = 0; step < 100; ++step) {
    const bool is_on = (step >= 10 && step < 15) || (step >= 30 && step < 50);
    ASSERT_EQ(read(simulation, "faults/dead/active"), is_on ? 1.0 : 0.0) << step;
    run_to(simulation, step);
    ASSERT_EQ(read(simulation, "r/encoder/speed"), is_on ? 0.0 : 2.0) << step;
    dead += is_on ? 1 : 0;
  }
  EXPECT_EQ(read(simulation, "faults/dead/count"), static_cast<double>(dead));
}

TEST(FaultEvents, ALaterEventDecidesHowLongAFaultLasts) {
  Simulation simulation = make_simulation(
      R"(<faults><fault name="dead" device="r/encoder" kind="cut" at="10 ms" length="20 ms"/></faults>
<event at="20 ms" action="fault" target="dead" length="30 ms"/>)");
  run_to(simulation, 49);
  EXPECT_EQ(read(simulation, "r/encoder/speed"), 0.0);
  run_to(simulation, 50);
  EXPECT_EQ(read(simulation, "r/encoder/speed"), 2.0);
}

TEST(FaultEvents, ThatDoNotFitAreRefusedAtTheDoor) {
  Simulation simulation =
      make_simulation(R"(<faults><fault name="dead" device="r/encoder" kind="cut"/></faults>)");
  EXPECT_EQ(simulation.find_fault("alive"), std::nullopt);
  ASSERT_EQ(simulation.find_fault("dead"), FaultId{0});
  EXPECT_TRUE(simulation.post({0, 0, SetFault{FaultId{0}, true, 5}}).ok());
  EXPECT_EQ(simulation.post({0, 0, SetFault{FaultId{1}, true, 5}}).error(), "there is no such fault");
  EXPECT_EQ(simulation.post({0, 0, SetFault{FaultId{-1}, true, 5}}).error(), "there is no such fault");
  EXPECT_EQ(simulation.post({0, 0, SetFault{FaultId{0}, true, -5}}).error(),
            "a fault must not last less than no step");
}

constexpr const char* kMany = R"(<faults>
<fault name="stuck" device="r/encoder" kind="stick" at="50 ms" length="0.2 s" chance="0.7"/>
<fault name="weak" device="r/drive" kind="bias" value="-1" at="0 s" chance="0.5"/>
<fault name="dead" device="r/drive" kind="cut" chance="0.4"/></faults>
<event at="80 ms" action="fault" target="dead" length="0.1 s"/>)";

TEST(FaultySimulation, IsSavedAndRestoredInTheMiddleOfItsFaults) {
  Simulation simulation = make_simulation(kPull + std::string(kMany));
  run_to(simulation, 120);
  StateWriter writer;
  simulation.save(writer);
  Simulation other = make_simulation(kPull + std::string(kMany));
  other.restore(writer.bytes());
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(simulation.run(1).ok());
    ASSERT_TRUE(other.run(1).ok());
    ASSERT_EQ(simulation.hash(), other.hash()) << i;
  }
}

TEST(FaultySimulation, IsReplayedWithTheFaultsThatWerePostedWhileItRan) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.rec";
  std::uint64_t hash = 0;
  {
    Simulation simulation = make_simulation(kMany);
    Recorder recorder(file, simulation, "<scenario/>", "1");
    for (int i = 0; i < 400; ++i) {
      if (i == 150) {
        EXPECT_TRUE(simulation.post({0, 0, SetFault{*simulation.find_fault("dead"), true, 60}}).ok());
      }
      if (i == 300) {
        EXPECT_TRUE(simulation.post({0, 0, SetFault{*simulation.find_fault("weak"), false, 0}}).ok());
      }
      ASSERT_TRUE(simulation.run(1).ok());
      ASSERT_TRUE(recorder.record().ok());
    }
    ASSERT_TRUE(recorder.finish(Outcome::kOk).ok());
    EXPECT_GT(read(simulation, "faults/dead/count"), 0.0);
    hash = simulation.hash();
  }
  Simulation simulation = make_simulation(kMany);
  RecordingReader reader(file);
  const ReplayReport report = replay(simulation, reader);
  EXPECT_TRUE(report.same());
  EXPECT_EQ(report.steps, 400);
  EXPECT_EQ(report.hash, hash);
}

TEST(Faults, AreRefusedWhereTheyDoNotFit) {
  const auto fault = [](const std::string& attributes) {
    return errors_of("<faults>\n<fault name=\"f\" " + attributes + "/></faults>");
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
            "s.xml:7:45: error: <fault> 'faults/f': a value has no meaning when an actuator is cut as a whole; "
            "expected a "
            "'signal' with it\n");
  EXPECT_EQ(
      fault(R"(kind="cut" device="r/drive" at="1.5 ms")"),
      "s.xml:7:45: error: <fault> 'faults/f': at 0.0015 s is not a multiple of the physics step (0.001 s)\n");
  EXPECT_EQ(fault(R"(kind="drop" link="plc")"), "s.xml:7:29: error: <fault> 'faults/f': unknown link 'plc'\n");
  EXPECT_EQ(errors_of(R"(<faults><fault name="f" kind="cut" device="r/drive"/>
<fault name="f" kind="cut" device="r/drive"/></faults>)"),
            "s.xml:7:8: error: <fault> 'faults/f': another fault has that name\n");
  EXPECT_EQ(errors_of(R"(<event at="1 s" action="fault" target="g"/>)"),
            "s.xml:6:1: error: event: unknown fault 'g'\n");
}

}  // namespace
}  // namespace lockstep
