#include "control/supervisor.h"

#include <gtest/gtest.h>

#include "assemble/simulation_testing.h"

namespace lockstep {
namespace {

/// Counts its calls and writes its own time.
struct Clock final : Controller {
  explicit Clock(Slot out) : signal(out) {}
  Status decide(const Instant& now, Row row) override {
    row[signal] = now.seconds;
    ++calls;
    return {};
  }
  void save(StateWriter& writer) const override { writer.write(calls); }
  void restore(StateReader& reader) override { calls = reader.read<int>(); }
  Slot signal;
  int calls = 0;
};

/// Two states: "wait" until the input is above 0.5 for `after` steps, then "act", which sets the mark and runs
/// a clock, until it has lasted 10 ms.
class SupervisorTest : public testing::Test {
 protected:
  static constexpr Duration kStep{1'000'000};

  Supervisor make(std::int64_t after, std::int64_t every = 1) {
    std::vector<Supervisor::State> states(2);
    states[0].transitions.push_back({condition("input > 0.5"), 1, after});
    states[1].settings.push_back({mark_, 7.0});
    auto member = std::make_unique<Clock>(clock_);
    last_clock_ = member.get();
    states[1].members.push_back({std::move(member), every});
    states[1].transitions.push_back({condition("time_in_state >= 10 ms"), 0, 0});
    return Supervisor(std::move(states), 0, state_, time_);
  }
  Expression condition(std::string_view text) {
    return *parse_expression(text, Expression::Kind::kTruth,
                             {.signals = signals_,
                              .find = [&](const std::string& name) { return signals_.find(name); },
                              .known = {},
                              .functions = {}});
  }
  void run(Supervisor& supervisor, int steps) {
    for (int i = 0; i < steps; ++i, ++step_) {
      (void)supervisor.decide({step_, step_ * kStep, to_seconds(step_ * kStep)}, Row(row_));
    }
  }
  double& at(Slot slot) { return Row(row_)[slot]; }

  SignalTable signals_;
  Slot input_ = signals_.add("input", "", SignalRole::kMeasurement);
  Slot state_ = signals_.add("state", "", SignalRole::kInternal);
  Slot time_ = signals_.add("time_in_state", "s", SignalRole::kInternal);
  Slot mark_ = signals_.add("mark", "", SignalRole::kCommand);
  Slot clock_ = signals_.add("clock", "s", SignalRole::kCommand);
  std::vector<double> row_ = std::vector<double>(5, 0.0);
  std::int64_t step_ = 0;
  Clock* last_clock_ = nullptr;
};

TEST_F(SupervisorTest, StaysInItsStateUntilTheConditionHolds) {
  Supervisor supervisor = make(0);
  run(supervisor, 20);
  EXPECT_EQ(at(state_), 0.0);
  EXPECT_DOUBLE_EQ(at(time_), 0.019);
  at(input_) = 1.0;
  run(supervisor, 1);
  EXPECT_EQ(at(state_), 1.0);
  EXPECT_EQ(at(time_), 0.0);
  EXPECT_EQ(at(mark_), 7.0);
}

TEST_F(SupervisorTest, WaitsUntilTheConditionHasHeldWithoutInterruption) {
  Supervisor supervisor = make(5);
  run(supervisor, 1);
  at(input_) = 1.0;
  run(supervisor, 4);
  at(input_) = 0.0;
  run(supervisor, 1);
  at(input_) = 1.0;
  run(supervisor, 5);
  EXPECT_EQ(at(state_), 0.0);
  run(supervisor, 1);
  EXPECT_EQ(at(state_), 1.0);
}

TEST_F(SupervisorTest, RunsItsControllersOnlyInTheirStateAndWithTheTimeOfThatState) {
  Supervisor supervisor = make(0);
  run(supervisor, 3);
  EXPECT_EQ(last_clock_->calls, 0);
  at(input_) = 1.0;
  run(supervisor, 4);
  EXPECT_EQ(last_clock_->calls, 4);
  EXPECT_DOUBLE_EQ(at(clock_), 0.003);
}

TEST_F(SupervisorTest, RestartsAControllerWhenItsStateIsEnteredAgain) {
  Supervisor supervisor = make(0);
  run(supervisor, 1);
  at(input_) = 1.0;
  run(supervisor, 11);  // in "act" for 10 ms, then back
  EXPECT_EQ(at(state_), 0.0);
  run(supervisor, 1);
  EXPECT_EQ(at(state_), 1.0);
  EXPECT_EQ(last_clock_->calls, 1);
  EXPECT_EQ(at(clock_), 0.0);
}

TEST_F(SupervisorTest, CallsAControllerAtItsOwnPeriod) {
  Supervisor supervisor = make(0, 3);
  run(supervisor, 1);
  at(input_) = 1.0;
  run(supervisor, 8);  // at 0, 3 and 6 ms of the state
  EXPECT_EQ(last_clock_->calls, 3);
}

TEST_F(SupervisorTest, ContinuesFromASnapshotInAStateAndDuringAWait) {
  for (const int steps : {4, 9, 14}) {
    row_.assign(row_.size(), 0.0);
    step_ = 0;
    Supervisor supervisor = make(5);
    run(supervisor, 1);
    at(input_) = 1.0;
    run(supervisor, steps);
    StateWriter writer;
    supervisor.save(writer);
    const auto row = row_;
    const auto step = step_;
    run(supervisor, 30);
    const auto expected = row_;
    row_ = row;
    step_ = step;
    Supervisor other = make(5);
    StateReader reader(writer.bytes());
    other.restore(reader);
    EXPECT_TRUE(reader.at_end());
    run(other, 30);
    EXPECT_EQ(row_, expected);
  }
}

TEST_F(SupervisorTest, RejectsASnapshotWithAnUnknownState) {
  Supervisor supervisor = make(0);
  StateWriter writer;
  writer.write(std::uint64_t{2});
  StateReader reader(writer.bytes());
  EXPECT_THROW(supervisor.restore(reader), StateError);
}

/// A hinge with a servo and this supervisor.
std::string supervisor_text(const std::string& supervisor) {
  return R"(<scenario name="s" gravity="0 0 0"><robot name="r"><link name="base"/>
<link name="a" parent="base"><joint name="j"/><box mass="1"/></link>
<sensors><joint_state name="j" joint="j"/></sensors>
<actuators><servo name="j" joint="j" max_speed="1"/></actuators>
<controllers>
)" + supervisor +
         "\n</controllers></robot></scenario>";
}

Simulation supervise(const std::string& supervisor) {
  return simulate_text(supervisor_text(supervisor));
}

std::string supervisor_errors(const std::string& supervisor) {
  return errors_of_text(supervisor_text(supervisor));
}

constexpr const char* kThereAndBack = R"(<supervisor name="brain" initial="there">
<state name="back"><set_signal signal="j/target" value="0 deg"/></state>
<state name="there"><set_signal signal="j/target" value="90 deg"/>
<controllers><sine name="wave" signal="j/target" amplitude="0.1" offset="1.5" period="2 ms"/></controllers>
<when condition="j/angle gt 20 deg" then="back" after="50 ms"/></state></supervisor>)";

TEST(SupervisorDevice, ChangesStatesOnItsSignals) {
  Simulation simulation = supervise(kThereAndBack);
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

TEST(SupervisorDevice, IsRestoredWithTheSimulation) {
  Simulation simulation = supervise(kThereAndBack);
  ASSERT_TRUE(simulation.run(400).ok());
  StateWriter writer;
  simulation.save(writer);
  Simulation other = supervise(kThereAndBack);
  other.restore(writer.bytes());
  ASSERT_TRUE(simulation.run(300).ok());
  ASSERT_TRUE(other.run(300).ok());
  EXPECT_EQ(simulation.hash(), other.hash());
}

TEST(SupervisorDevice, ReportsErrorsWithTheirPlace) {
  EXPECT_EQ(
      supervisor_errors(
          R"(<supervisor name="b"><state name="x"><when condition="j/angle gt 1 m" then="x"/></state></supervisor>)"),
      "s.xml:6:44: error: <when> 'r/b': condition, character 12: this has 'm', but what is before it has "
      "'rad'\n");
  EXPECT_EQ(
      supervisor_errors(
          R"(<supervisor name="b"><state name="x"><when condition="time gt 1" then="y"/></state></supervisor>)"),
      "s.xml:6:66: error: <when> 'r/b': unknown state 'y'; did you mean 'x'?\n");
  EXPECT_EQ(supervisor_errors(R"(<supervisor name="b"><state name="x"/><state name="x"/></supervisor>)"),
            "s.xml:6:39: error: <supervisor> 'r/b': state 'x' appears twice\n");
  EXPECT_EQ(
      supervisor_errors(
          R"(<supervisor name="b"><state name="x"><set_signal signal="j/target" value="1 m"/></state></supervisor>)"),
      "s.xml:6:68: error: <set_signal> 'r/b': value: unit 'm' does not fit; expected an angle in 'rad', such "
      "as '90 "
      "deg'\n");
  EXPECT_NE(
      supervisor_errors(
          R"(<supervisor name="b"><state name="x"><controllers><supervisor name="c"><state name="y"/></supervisor></controllers></state></supervisor>)")
          .find("there is no controller <supervisor> for a state"),
      std::string::npos);
  EXPECT_EQ(
      supervisor_errors(
          R"(<supervisor name="b" period="10 ms"><state name="x"><controllers><sine name="c" signal="j/target" period="15 ms"/></controllers></state></supervisor>)"),
      "s.xml:6:99: error: <sine> 'r/c': its period is not a multiple of that of <supervisor> 'r/b'\n");
}

}  // namespace
}  // namespace lockstep
