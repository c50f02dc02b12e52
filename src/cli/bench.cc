#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/bench_engine.h"
#include "cli/bench_serve.h"
#include "cli/commands.h"

namespace lockstep {

int run_bench(const BenchCommand& command, const Registry& registry) {
  using Bench = nlohmann::ordered_json (*)(const BenchCommand&, const Registry&);
  const std::map<std::string, Bench> benches = {{"engine", bench_engine}, {"serve", bench_serve}};
  const auto bench = benches.find(command.name);
  if (bench == benches.end()) {
    std::vector<std::string> names;
    for (const auto& [name, _] : benches) names.push_back(name);
    throw_user_error({"bench", 0, 0}, "unknown bench '{}'{}", command.name, suggest(command.name, names));
  }
  const nlohmann::ordered_json result = bench->second(command, registry);
  if (command.json) {
    fmt::print("{}\n", result.dump(2));
    return kExitDone;
  }
  if (command.name == "serve") {
    for (const auto& row : result["cases"]) {
      fmt::print("{}: {:.3f} of the step rate without; {:.0f} steps/s, {:+.1f} MiB\n",
                 row["case"].get<std::string>(), row["ratio"].get<double>(),
                 row["steps_per_second"].get<double>(), row["memory_growth_mib"].get<double>());
    }
    return kExitDone;
  }
  fmt::print("{}: ours over the raw engine, median of interleaved pairs; 1 is as fast\n", command.name);
  for (const auto& row : result["cases"]) {
    fmt::print("  {:<16}{:6.3f}   {:8.3f} us per step, raw {:8.3f} us{}\n", row["case"].get<std::string>(),
               row["ratio"].get<double>(), row["us_per_step"].get<double>(),
               row["raw_us_per_step"].get<double>(),
               row["same_bits"].get<bool>() ? "" : "   DIFFERENT TRAJECTORY");
  }
  return kExitDone;
}

}  // namespace lockstep
