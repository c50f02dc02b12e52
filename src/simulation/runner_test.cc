#include "simulation/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "simulation/point_mass_testing.h"

namespace lockstep {
namespace {

TEST(Runner, TakesExactlyTheRequestedSteps) {
  Simulation simulation = make_point_mass();
  const RunReport report = Runner(simulation).advance(1001);
  EXPECT_TRUE(report.status.ok());
  EXPECT_EQ(report.steps, 1001);
  EXPECT_EQ(report.simulated, std::chrono::milliseconds(1001));
}

TEST(Runner, APacedRunLastsAtLeastItsSimulatedTime) {
  Simulation simulation = make_point_mass();
  const RunReport report = Runner(simulation, {.pacing = PacingOptions{.speed = 2.0}}).advance(60);
  // The last of the 60 steps starts 59 ms into the run, at twice real time.
  EXPECT_GE(report.wall_seconds, 0.059 / 2.0);
}

TEST(Runner, TheHashIsTheSamePacedOrAsFastAsPossible) {
  Simulation paced = make_point_mass();
  Simulation unpaced = make_point_mass();
  (void)Runner(paced, {.pacing = PacingOptions{.speed = 10.0}}).advance(30);
  (void)Runner(unpaced).advance(30);
  EXPECT_EQ(paced.hash(), unpaced.hash());
}

/// Counts its calls, and ends the run after step `last`.
struct CountingHook final : StepHook {
  Status begin(const Simulation& simulation) override {
    ++begins;
    start = simulation.now().step;
    return {};
  }
  void before_step(Simulation&) override { ++befores; }
  Status after_step(const Simulation& simulation) override {
    ++afters;
    if (simulation.now().step < last) return {};
    return {Outcome::kOutputFailed, simulation.now().step, "", "the disk is full"};
  }
  std::int64_t begins = 0, befores = 0, afters = 0, start = -1;
  std::int64_t last = 1'000'000;
};

TEST(Runner, AHookSeesTheStartAndEveryStepAcrossSeveralAdvances) {
  Simulation simulation = make_point_mass();
  CountingHook hook;
  Runner runner(simulation);
  runner.add_hook(hook);
  (void)runner.advance(0);
  EXPECT_EQ(hook.begins, 1);
  (void)runner.advance(150);
  (void)runner.advance(50);
  EXPECT_EQ(hook.begins, 1);
  EXPECT_EQ(hook.start, 0);
  EXPECT_EQ(hook.befores, 200);
  EXPECT_EQ(hook.afters, 200);
}

TEST(Runner, AHookThatFailsEndsTheRunAfterItsStep) {
  Simulation simulation = make_point_mass();
  CountingHook hook;
  hook.last = 70;
  Runner runner(simulation);
  runner.add_hook(hook);
  const RunReport report = runner.advance(500);
  EXPECT_EQ(report.status.outcome, Outcome::kOutputFailed);
  EXPECT_EQ(report.steps, 70);
}

TEST(Runner, ASliceReturnsWhenItsStepIsDueInsteadOfWaitingLong) {
  Simulation simulation = make_point_mass();
  FakeClock clock;
  Runner runner(simulation, {.pacing = PacingOptions{.speed = 0.01}, .clock = &clock});
  const WallClock::Time start = clock.now();
  const Duration patience = std::chrono::milliseconds(3);
  EXPECT_EQ(runner.advance_slice(10, patience).steps, 1);  // due at once
  const Runner::Slice early = runner.advance_slice(10, patience);
  EXPECT_EQ(early.steps, 0);
  ASSERT_TRUE(early.due);
  EXPECT_EQ(*early.due - start, std::chrono::milliseconds(100));  // 1 ms at a hundredth of real time
  clock.pass(std::chrono::milliseconds(98));
  EXPECT_EQ(runner.advance_slice(10, patience).steps, 1);
  EXPECT_EQ(clock.now() - start, std::chrono::milliseconds(100));
}

TEST(Runner, SlicesEndAtTheGivenStep) {
  Simulation simulation = make_point_mass();
  Runner runner(simulation);
  std::int64_t taken = 0;
  while (simulation.now().step < 1001) taken += runner.advance_slice(1001, Duration(0)).steps;
  EXPECT_EQ(taken, 1001);
}

TEST(Runner, BeyondTheMaximumLagItDoesNotCatchUp) {
  Simulation simulation = make_point_mass();
  FakeClock clock;
  StepFunction work([&](const Simulation& stepped) {
    if (stepped.now().step == 5) clock.pass(std::chrono::seconds(1));
    return Status{};
  });
  Runner runner(simulation,
                {.pacing = PacingOptions{.max_lag = std::chrono::milliseconds(100)}, .clock = &clock});
  runner.add_hook(work);
  // 4 ms up to the fifth step, the second that it takes, and 5 ms after the clock restarts.
  EXPECT_NEAR(runner.advance(11).wall_seconds, 1.009, 1e-9);
}

TEST(RunnerThreads, PauseStopsTimeSingleStepsAreCountedAndResumeContinues) {
  Simulation simulation = make_point_mass();
  std::atomic<std::int64_t> steps = 0;
  StepFunction watch([&](const Simulation& stepped) {
    steps = stepped.now().step;
    return Status{};
  });
  Runner runner(simulation);
  runner.add_hook(watch);
  runner.pause();
  std::thread thread([&] { EXPECT_EQ(runner.advance(500).steps, 500); });
  runner.step(3);
  while (steps < 3) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(steps, 3);
  runner.set_speed(1e5);
  runner.resume();
  thread.join();
  EXPECT_EQ(simulation.now().step, 500);
}

TEST(RunnerThreads, QuitEndsAPausedRun) {
  Simulation simulation = make_point_mass();
  Runner runner(simulation);
  runner.pause();
  RunReport report;
  std::thread thread([&] { report = runner.advance(500); });
  runner.quit();
  thread.join();
  EXPECT_EQ(report.status.outcome, Outcome::kInterrupted);
  EXPECT_EQ(report.steps, 0);
}

}  // namespace
}  // namespace lockstep
