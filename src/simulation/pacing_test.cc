#include "simulation/pacing.h"

#include <gtest/gtest.h>

#include "simulation/point_mass_testing.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A run of 1 ms steps in which step i takes `calc_time(i)`.
template <typename CalcTime>
RunReport run_paced(std::int64_t steps, PacingOptions pacing, CalcTime calc_time, FakeClock& clock) {
  Simulation simulation = make_point_mass();
  StepFunction work([&](const Simulation& stepped) {
    clock.pass(calc_time(stepped.now().step - 1));
    return Status{};
  });
  Runner runner(simulation, {.pacing = pacing, .clock = &clock});
  runner.add_hook(work);
  return runner.advance(steps);
}

TEST(Pacing, CountsAThousandOverrunsAndTheirMissedCycles) {
  FakeClock clock;
  std::int64_t injected = 0, missed = 0;
  const auto calc_time = [&](std::int64_t step) -> Duration {
    if (step % 37 != 5 || injected == 1000) return microseconds(200);
    const std::int64_t cycles = 1 + injected++ % 7;
    missed += cycles;
    return cycles * milliseconds(1) + microseconds(400);
  };
  const RunReport report = run_paced(40'000, {}, calc_time, clock);
  EXPECT_EQ(injected, 1000);
  EXPECT_EQ(report.pacing.overruns, 1000);
  EXPECT_EQ(report.pacing.missed_cycles, missed);
}

TEST(Pacing, OverrunsInARowAreCountedOneByOne) {
  FakeClock clock;
  const RunReport report = run_paced(
      1000, {},
      [](std::int64_t step) { return step >= 100 && step < 110 ? microseconds(2500) : microseconds(100); },
      clock);
  EXPECT_EQ(report.pacing.overruns, 10);
  EXPECT_EQ(report.pacing.missed_cycles, 20);
  // Ten times 1.5 ms too late, up to the start of the next step.
  EXPECT_EQ(report.pacing.worst_lateness, microseconds(15'000));
}

TEST(Pacing, LatenessByASlowControllerIsToldApart) {
  FakeClock clock;
  Pacer pacer({}, milliseconds(1), Duration(0), clock);
  pacer.wait_until(Duration(0));
  // The controller takes 5 ms, the step 0.2 ms: the next step starts 4.2 ms late, and not by its own fault.
  clock.pass(microseconds(5200));
  pacer.wait_until(milliseconds(1), milliseconds(5));
  EXPECT_EQ(pacer.statistics().worst_lateness, Duration(0));
  EXPECT_EQ(pacer.statistics().worst_lateness_by_controllers, microseconds(4200));
  EXPECT_EQ(pacer.statistics().overruns, 0);
  // The step itself takes 3 ms: 2 ms more are its own.
  clock.pass(milliseconds(3));
  pacer.wait_until(milliseconds(2), Duration(0));
  EXPECT_EQ(pacer.statistics().worst_lateness, milliseconds(2));
  EXPECT_EQ(pacer.statistics().histogram[5], 1);  // up to 3 ms
  EXPECT_EQ(pacer.statistics().least_headroom, microseconds(-4200));
  EXPECT_EQ(pacer.statistics().headroom_sum, microseconds(-4200) - milliseconds(2));
  EXPECT_EQ(pacer.statistics().headroom_count, 2);
  EXPECT_EQ(pacer.statistics().overruns, 1);
}

TEST(Pacing, ARunThatKeepsUpReportsNone) {
  FakeClock clock;
  const RunReport report = run_paced(
      10'000, {}, [](std::int64_t) { return microseconds(990); }, clock);
  EXPECT_EQ(report.pacing.overruns, 0);
  EXPECT_EQ(report.pacing.missed_cycles, 0);
  EXPECT_EQ(report.pacing.worst_lateness, Duration(0));
  EXPECT_EQ(report.pacing.histogram[0], 10'000);
}

TEST(Pacing, SimulatedAndRealTimeAgreeOverAMinuteAtAnySpeedDespiteLateWakeUps) {
  for (const double speed : {0.5, 1.0, 2.0, 0.3}) {
    FakeClock clock;
    clock.wake_late_by(microseconds(70));
    const WallClock::Time start = clock.now();
    const RunReport report = run_paced(
        60'000, {.speed = speed}, [](std::int64_t) { return microseconds(50); }, clock);
    const double real = std::chrono::duration<double>(clock.now() - start).count();
    EXPECT_NEAR(speed * real / 60.0, 1.0, 1e-4);
    EXPECT_EQ(report.pacing.overruns, 0);
    EXPECT_EQ(report.pacing.histogram[2], 59'999);  // 30 to 100 us late; the first step does not wait
  }
}

TEST(Pacing, OverrunsWithinTheGraceAreNotCounted) {
  FakeClock clock;
  const auto slow_start = [](std::int64_t step) { return step < 10 ? microseconds(1800) : microseconds(100); };
  EXPECT_EQ(run_paced(100, {}, slow_start, clock).pacing.overruns, 10);
  EXPECT_EQ(run_paced(100, {.grace = milliseconds(20)}, slow_start, clock).pacing.overruns, 0);
}

TEST(Pacing, MoreOverrunsThanAllowedEndTheRun) {
  FakeClock clock;
  const RunReport report = run_paced(
      1000, {.max_overruns = 3}, [](std::int64_t) { return microseconds(1200); }, clock);
  EXPECT_EQ(report.status.outcome, Outcome::kTooSlow);
  EXPECT_EQ(report.steps, 4);
  EXPECT_EQ(report.status.cause, "more than 3 overruns");
}

TEST(Pacing, WritesTimingSignalsThatAreNotPartOfTheState) {
  Simulation paced = make_point_mass();
  Simulation unpaced = make_point_mass();
  add_timing_signals(paced);
  FakeClock clock;
  StepFunction work([&](const Simulation&) {
    clock.pass(microseconds(2100));
    return Status{};
  });
  Runner runner(paced, {.pacing = PacingOptions{}, .clock = &clock});
  runner.add_hook(work);
  (void)runner.advance(10);
  (void)Runner(unpaced).advance(10);
  const auto value = [&](const char* name) { return paced.row()[*paced.signals().find(name)]; };
  EXPECT_EQ(value("timing/overruns"), 9.0);
  EXPECT_EQ(value("timing/missed_cycles"), 18.0);
  EXPECT_DOUBLE_EQ(value("timing/lateness"), 9 * 1.1e-3);
  EXPECT_EQ(paced.hash(), unpaced.hash());
  EXPECT_EQ(paced.fingerprint(), unpaced.fingerprint());
}

}  // namespace
}  // namespace lockstep
