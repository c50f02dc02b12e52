#include "control/supervisor.h"

#include <gtest/gtest.h>

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

TEST_F(SupervisorTest, WaitsForAsLongAsAConditionMustHoldWithoutABreak) {
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

TEST_F(SupervisorTest, StartsAControllerAnewWhenItsStateIsEnteredAgain) {
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

TEST_F(SupervisorTest, GoesOnFromASnapshotWithinAStateAndWithinAWait) {
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

TEST_F(SupervisorTest, RefusesASnapshotOfAStateThatItDoesNotHave) {
  Supervisor supervisor = make(0);
  StateWriter writer;
  writer.write(std::uint64_t{2});
  StateReader reader(writer.bytes());
  EXPECT_THROW(supervisor.restore(reader), StateError);
}

}  // namespace
}  // namespace lockstep
