#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assemble/assemble.h"
#include "base/cores.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "botball/launch.h"
#include "scenario/bundled.h"
#include "simulation/live_connections.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

constexpr int kBotballPairs = 5;
constexpr double kSimulated = 5.0;  // s, of each block
constexpr double kThoroughSimulated = 60.0;

struct BotballCase {
  const char* name;
  const char* program;
};
constexpr std::array<BotballCase, 2> kBotballCases = {
    {{"sleeping",
      "#include <kipr/wombat.h>\n"
      "int main() { while (1) { motor(0, 40); motor(3, 40); msleep(500); "
      "motor(0, -40); motor(3, -40); msleep(500); } }\n"},
     {"polling",
      "#include <kipr/wombat.h>\n"
      "int main() { int n = 0; while (1) { if (analog(1) > 2000) ++n; if "
      "(digital(0)) ++n; if (gmpc(0) > 0) ++n; } }\n"}}};

/// Real time that these steps take.
double time_steps(Simulation& simulation, std::int64_t steps) {
  const double begin = wall_seconds();
  const RunReport report = Runner(simulation).advance(steps);
  if (!report.status.ok()) throw_user_error({"bench", 0, 0}, "{}", to_string(report.status));
  return wall_seconds() - begin;
}

/// One program on the demobot, and the demobot alone, alternately.
nlohmann::ordered_json measure_botball(const BotballCase& which, const BenchCommand& command,
                                       const Registry& registry) {
  const auto folder = find_bundled_scenarios();
  if (!folder) throw_user_error({"bench", 0, 0}, "demobot.xml not found; the scenarios are not installed");
  const WorkFolder work;
  const std::string source = (work.path() / "bench.c").string();
  std::ofstream(source) << which.program;
  const BuiltBotball built = build_botball({.paths = {source}, .era = "W"}, work.path());
  if (!built.is_built) throw_user_error({"bench", 0, 0}, "the program '{}' does not compile", which.name);
  const std::string address = fmt::format("shm:lockstep-bench-{}", getpid());
  const LoadedScenario loaded =
      load_scenario(*folder / "botball" / "demobot.xml", registry,
                    {"//connections/wire/@address=" + address, "//connections/wire/@timeout=60 s"});
  Diagnostics diagnostics;
  Simulation with_program =
      assemble(loaded.scenario, loaded.assets, registry, diagnostics, {.connections = {.live = true}});
  Simulation alone = assemble(loaded.scenario, loaded.assets, registry, diagnostics);
  StartedControllers controllers({make_botball_command(built, work.path(), {.address = address})});
  const LiveConnections connections(with_program, controllers);
  time_steps(with_program, 1);  // the program is there

  const double seconds = command.seconds.value_or(command.thorough ? kThoroughSimulated : kSimulated);
  const double step = to_seconds(alone.step_size());
  const auto steps = std::max<std::int64_t>(std::llround(seconds / step), 2);
  const double simulated = static_cast<double>(steps) * step;
  std::vector<double> ours, raw, ratios;
  for (int i = 0; i < kBotballPairs; ++i) {
    const double raw_time = time_steps(alone, steps), our_time = time_steps(with_program, steps);
    ours.push_back(simulated / our_time);
    raw.push_back(simulated / raw_time);
    ratios.push_back(raw_time / our_time);
  }
  return {{"case", which.name},
          {"ratio", median(ratios)},
          {"real_time_factor", median(ours)},
          {"raw_real_time_factor", median(raw)},
          {"pairs", kBotballPairs},
          {"simulated_seconds", simulated}};
}

}  // namespace

nlohmann::ordered_json bench_botball(const BenchCommand& command, const Registry& registry) {
  stay_on(sched_getcpu());
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const BotballCase& each : kBotballCases) {
    if (command.only.empty() || command.only == each.name)
      rows.push_back(measure_botball(each, command, registry));
  }
  if (rows.empty())
    throw_user_error({"bench", 0, 0}, "unknown case '{}'; expected sleeping or polling", command.only);
  return {{"bench", "botball"}, {"cases", rows}};
}

}  // namespace lockstep
