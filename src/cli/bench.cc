#include "bench/bench.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

void print_engine_case(const Json& row) {
  fmt::print("  {:<16}{:6.3f}   {:8.3f} us per step, raw {:8.3f} us{}\n", row["case"].get<std::string>(),
             row["ratio"].get<double>(), row["us_per_step"].get<double>(), row["raw_us_per_step"].get<double>(),
             row["same_bits"].get<bool>() ? "" : "   DIFFERENT TRAJECTORY");
}

void print_connection_case(const Json& row) {
  fmt::print("  {:<16}{:6.3f}   {:8.0f} exchanges/s, raw {:8.0f}; {}\n", row["case"].get<std::string>(),
             row["ratio"].get<double>(), row["exchanges_per_second"].get<double>(),
             row["raw_exchanges_per_second"].get<double>(), row["placement"].get<std::string>());
}

void print_real_time_case(const Json& row) {
  const Json& bare = row["bare"];
  fmt::print(
      "  {:<16}{:6.2f}   median lateness {:.2f} us, bare {:.2f} us; {} of {} cycles missed, bare {}; clocks "
      "agree "
      "to {:.1g}\n",
      row["case"].get<std::string>(), row["ratio"].get<double>(), 1e6 * row["median_lateness"].get<double>(),
      1e6 * bare["median_lateness"].get<double>(), row["misses"].get<std::int64_t>(),
      row["cycles"].get<std::int64_t>(), bare["misses"].get<std::int64_t>(), row["clock_error"].get<double>());
}

void print_serve_case(const Json& row) {
  fmt::print("  {:<16}{:6.3f}   {:8.0f} steps/s, alone {:8.0f}; memory {:+.1f} MiB\n",
             row["case"].get<std::string>(), row["ratio"].get<double>(), row["steps_per_second"].get<double>(),
             row["raw_steps_per_second"].get<double>(), row["memory_growth_mib"].get<double>());
}

void print_optimize_case(const Json& row) {
  fmt::print("  {:<16}{:6.3f}   {:8.1f} evaluations/s, {} {:8.1f}{}\n", row["case"].get<std::string>(),
             row["ratio"].get<double>(), row["evaluations_per_second"].get<double>(),
             row["reference"].get<std::string>(), row["reference_per_second"].get<double>(),
             row["same_bits"].get<bool>() ? "" : "   DIFFERENT RESULTS");
}

void print_botball_case(const Json& row) {
  fmt::print("  {:<16}{:6.3f}   {:8.1f} x real time, without a program {:8.1f} x\n",
             row["case"].get<std::string>(), row["ratio"].get<double>(), row["real_time_factor"].get<double>(),
             row["raw_real_time_factor"].get<double>());
}

struct Bench {
  Json (*measure)(const BenchCommand&, const Registry&);
  const char* against;
  void (*print_case)(const Json&);
};

int run_bench(const BenchCommand& command, const Registry& registry) {
  const std::map<std::string, Bench> benches = {
      {"engine", {bench_engine, "the raw engine", print_engine_case}},
      {"connection", {bench_connection, "a raw ping-pong", print_connection_case}},
      {"realtime", {bench_realtime, "a bare loop of clock_nanosleep", print_real_time_case}},
      {"serve", {bench_serve, "no viewers", print_serve_case}},
      {"botball", {bench_botball, "the robot without a program", print_botball_case}},
      {"optimize", {bench_optimize, "a reference", print_optimize_case}}};
  const auto bench = benches.find(command.name);
  if (bench == benches.end()) {
    std::vector<std::string> names;
    for (const auto& [name, _] : benches) names.push_back(name);
    throw_user_error({"bench", 0, 0}, "unknown benchmark '{}'{}", command.name, suggest(command.name, names));
  }
  if (command.seconds && !(*command.seconds > 0.0 && *command.seconds <= 3600.0)) {
    throw_user_error({"--seconds", 0, 0}, "found {}; expected a number above 0, at most 3600",
                     *command.seconds);
  }
  const Json result = bench->second.measure(command, registry);
  if (command.json) {
    fmt::print("{}\n", result.dump(2));
    return kExitDone;
  }
  fmt::print("{}: ours over {}, median of interleaved pairs; 1 is as fast\n", command.name,
             bench->second.against);
  for (const Json& row : result["cases"]) bench->second.print_case(row);
  return kExitDone;
}

}  // namespace

Command add_bench_command(CLI::App& app) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "Measure against the raw engine, a raw connection or a bare loop, or measure the cost of viewers");
  command->footer(
      "Examples:\n"
      R"(  lockstep bench engine --case arm --seconds 1)");
  command
      ->add_option("name", options->name, "Benchmark: botball, engine, connection, optimize, realtime, serve")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print the result as one JSON object");
  command->add_flag("--thorough", options->thorough, "Run long enough for stable results");
  command->add_option("--case", options->only, "Measure only this case, as in --case fourbar");
  command->add_option("--seconds", options->seconds, "Seconds for each case")->type_name("NUMBER");
  return {command, [options](const Registry& registry) { return run_bench(*options, registry); }};
}

}  // namespace lockstep
