#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "assemble/assemble.h"
#include "bench/bench.h"
#include "bench/forked_child.h"
#include "bench/measure.h"
#include "scenario/bundled.h"
#include "simulation/live_connections.h"
#include "simulation/real_time_priority.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

constexpr const char* kCase = "delta-2khz";
constexpr int kPairs = 4;
constexpr double kRealtimeSeconds = 2 * kPairs * 5.0;
constexpr double kRealtimeThoroughSeconds = 2 * kPairs * 60.0;

using Clock = std::chrono::steady_clock;

/// Pins this process and its children to one core. In lock step only one end works at a time; waking the other
/// is faster on the same core, and only one core's interrupts delay the pair.
class OneCore {
 public:
  OneCore() {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof(before_), &before_);
    int last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(static_cast<std::size_t>(last), &before_)) --last;
    stay_on(last);
  }
  ~OneCore() { sched_setaffinity(0, sizeof(before_), &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_{};
};

double quantile(std::span<double> values, double q) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Measurements of one block of a loop, s, one number per cycle.
struct Stretch {
  std::vector<double> lateness;  ///< of its start
  std::vector<double> offsets;   ///< of the wall clock from simulated time

  /// Relative difference of the two clocks at the end. From medians, because single cycles may be delayed by
  /// the system.
  double drift(Duration period) {
    const std::size_t tenth = offsets.size() / 10 + 1;
    const std::span<double> all(offsets);
    const double length = to_seconds(period) * static_cast<double>(offsets.size() - tenth);
    return std::abs(quantile(all.last(tenth), 0.5) - quantile(all.first(tenth), 0.5)) / length;
  }
};

/// A minimal loop that runs 2000 times per second.
std::vector<double> run_bare(Duration period, std::int64_t cycles) {
  std::vector<double> lateness;
  lateness.reserve(static_cast<std::size_t>(cycles));
  Clock::time_point deadline = Clock::now();
  for (std::int64_t i = 0; i < cycles; ++i) {
    deadline += period;
    const std::int64_t count = deadline.time_since_epoch().count();
    const timespec until{count / 1'000'000'000, count % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    lateness.push_back(std::chrono::duration<double>(Clock::now() - deadline).count());
  }
  return lateness;
}

Stretch run_paced(Simulation& simulation, std::int64_t steps) {
  Stretch stretch;
  for (auto* numbers : {&stretch.lateness, &stretch.offsets}) numbers->reserve(static_cast<std::size_t>(steps));
  const Slot lateness = *simulation.find_timing_signal("timing/lateness");
  const Clock::time_point start = Clock::now();
  StepFunction measure([&](const Simulation& stepped) {
    stretch.lateness.push_back(stepped.row()[lateness]);
    const auto passed = std::chrono::duration<double>(Clock::now() - start).count();
    stretch.offsets.push_back(passed - stepped.now().seconds);
    return Status{};
  });
  Runner runner(simulation, {.pacing = PacingOptions{}});
  runner.add_hook(measure);
  const RunReport report = runner.advance(steps);
  if (!report.status.ok()) throw_user_error({"bench", 0, 0}, "{}", to_string(report.status));
  return stretch;
}

/// All blocks of one side.
struct Side {
  std::vector<double> medians, p99s;
  double worst = 0.0;
  std::int64_t misses = 0;  ///< cycles that started at or after the next deadline

  void add(std::span<double> lateness, Duration period) {
    medians.push_back(quantile(lateness, 0.5));
    p99s.push_back(quantile(lateness, 0.99));
    worst = std::max(worst, quantile(lateness, 1.0));
    misses +=
        std::count_if(lateness.begin(), lateness.end(), [&](double each) { return each > to_seconds(period); });
  }

  nlohmann::ordered_json to_json() {
    return {{"misses", misses},
            {"median_lateness", median(medians)},
            {"p99_lateness", median(p99s)},
            {"worst_lateness", worst}};
  }
};

/// The controller of the scenario is installed next to this program. If real-time priority is permitted, it
/// gets one below that of the simulation.
std::string controller_command(bool has_priority) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto controller = program.parent_path() / "delta_controller";
  if (!std::filesystem::exists(controller, error)) {
    throw_user_error({"bench", 0, 0}, "{} not found; expected it next to lockstep", controller.string());
  }
  return fmt::format("exec {}'{}'", has_priority ? "chrt -f 30 " : "", controller.string());
}

}  // namespace

nlohmann::ordered_json bench_realtime(const BenchCommand& command, const Registry& registry) {
  if (!command.only.empty() && command.only != kCase)
    throw_user_error({"bench", 0, 0}, "unknown case '{}'; expected {}", command.only, kCase);
  const auto folder = find_bundled_scenarios();
  if (!folder) throw_user_error({"bench", 0, 0}, "delta.xml not found; the scenarios are not installed");
  const LoadedScenario loaded =
      load_scenario(*folder / "machines" / "delta.xml", registry,
                    {fmt::format("//connections/wire/@address=shm:lockstep-bench-{}", getpid())});
  Diagnostics diagnostics;
  Simulation simulation =
      assemble(loaded.scenario, loaded.assets, registry, diagnostics, {.connections = {.live = true}});
  add_timing_signals(simulation);

  const Duration period = simulation.step_size();
  const double seconds =
      command.seconds.value_or(command.thorough ? kRealtimeThoroughSeconds : kRealtimeSeconds);
  const std::int64_t cycles =
      std::max<std::int64_t>(std::llround(seconds / (2 * kPairs) / to_seconds(period)), 2);
  const OneCore core;
  const RealTimePriority priority;
  StartedControllers controllers({controller_command(priority.is_first())});
  const LiveConnections connections(simulation, controllers);
  if (const Status status = Runner(simulation).advance(1).status; !status.ok())  // the controller is there
    throw_user_error({"bench", 0, 0}, "{}", to_string(status));

  Side ours, bare;
  std::vector<double> ratios;
  double drift = 0.0;
  for (int i = 0; i < kPairs; ++i) {
    std::vector<double> lateness = run_bare(period, cycles);
    bare.add(lateness, period);
    Stretch stretch = run_paced(simulation, cycles);
    drift = std::max(drift, stretch.drift(period));
    ours.add(stretch.lateness, period);
    constexpr double kClockResolution = 1e-9;  // lower bound of the lateness
    ratios.push_back(std::max(bare.medians.back(), kClockResolution) /
                     std::max(ours.medians.back(), kClockResolution));
  }
  const ConnectionReport connection = simulation.connections().front().device->report();
  nlohmann::ordered_json row = {{"case", kCase}, {"ratio", median(ratios)}};
  row.update(ours.to_json());
  row["bare"] = bare.to_json();
  row["clock_error"] = drift;
  row["cycles"] = kPairs * cycles;
  row["stretch"] = to_seconds(period * cycles);
  row["connection"] = {
      {"late", connection.counts.late}, {"missed", connection.counts.missed}, {"lost", connection.counts.lost}};
  row["priority"] = priority.is_first() ? "SCHED_FIFO" : "none";
  return {{"bench", "realtime"}, {"cases", {row}}};
}

}  // namespace lockstep
