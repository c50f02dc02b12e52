#include "simulation/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "simulation/point_mass_testing.h"

namespace lockstep {
namespace {

TEST(Runner, TakesExactlyTheStepsAskedFor) {
  Simulation simulation = make_point_mass();
  RunControl control;
  const RunReport report = run(simulation, {.steps = 1001}, control);
  EXPECT_TRUE(report.status.ok());
  EXPECT_EQ(report.steps, 1001);
  EXPECT_EQ(report.simulated, std::chrono::milliseconds(1001));
}

TEST(Runner, PacedToTheClockARunLastsAtLeastItsSimulatedTime) {
  Simulation simulation = make_point_mass();
  RunControl control;
  const RunReport report = run(simulation, {.steps = 60, .pacing = PacingOptions{.speed = 2.0}}, control);
  // The last of the 60 steps begins 59 ms into the run, at twice real time.
  EXPECT_GE(report.wall_seconds, 0.059 / 2.0);
}

TEST(Runner, TheHashIsTheSamePacedOrFlatOut) {
  Simulation paced = make_point_mass();
  Simulation flat_out = make_point_mass();
  RunControl control_a;
  RunControl control_b;
  (void)run(paced, {.steps = 30, .pacing = PacingOptions{.speed = 10.0}}, control_a);
  (void)run(flat_out, {.steps = 30}, control_b);
  EXPECT_EQ(paced.hash(), flat_out.hash());
}

TEST(Runner, AfterStepIsCalledForEveryStep) {
  Simulation simulation = make_point_mass();
  RunControl control;
  std::int64_t calls = 0;
  (void)run(simulation,
            {.steps = 150,
             .after_step =
                 [&](const Simulation&) {
                   ++calls;
                   return Status{};
                 }},
            control);
  EXPECT_EQ(calls, 150);
}

TEST(RunnerThreads, PausedTimeStandsStillSingleStepsAreCountedAndResumeGoesOn) {
  Simulation simulation = make_point_mass();
  RunControl control;
  control.pause();
  std::atomic<std::int64_t> steps = 0;
  std::thread runner([&] {
    const RunReport report = run(simulation,
                                 {.steps = 500,
                                  .after_step =
                                      [&](const Simulation& s) {
                                        steps = s.now().step;
                                        return Status{};
                                      }},
                                 control);
    EXPECT_EQ(report.steps, 500);
  });
  control.step(3);
  while (steps < 3) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(steps, 3);
  control.set_speed(1e5);
  control.resume();
  runner.join();
  EXPECT_EQ(simulation.now().step, 500);
}

TEST(RunnerThreads, QuitEndsAPausedRun) {
  Simulation simulation = make_point_mass();
  RunControl control;
  control.pause();
  RunReport report;
  std::thread runner([&] { report = run(simulation, {.steps = 500}, control); });
  control.quit();
  runner.join();
  EXPECT_EQ(report.status.outcome, Outcome::kInterrupted);
  EXPECT_EQ(report.steps, 0);
}

}  // namespace
}  // namespace lockstep
