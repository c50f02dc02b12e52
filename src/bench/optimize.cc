#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/models.h"
#include "bench/raw_gait.h"
#include "model/build.h"
#include "scenario/write.h"
#include "study/sampling.h"
#include "study/workers.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kOptimizeSeconds = 9.0, kOptimizeThoroughSeconds = 60.0;
constexpr double kOptimizeBlockSeconds = 1.0;  ///< of one side of one pair
constexpr int kOptimizeJoints = 11;
constexpr std::int64_t kIslands = 8;

int core_count() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// A temporary folder, removed with its content.
class WorkFolder {
 public:
  WorkFolder() : path_(std::filesystem::temp_directory_path() / fmt::format("lockstep-bench-{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~WorkFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

Element make_head_sensor() {
  Element sensor;
  sensor.name = "pose";
  sensor.attributes = {{"name", "head", {}}, {"body", "m0", {}}};
  return sensor;
}

Scenario make_scenario(std::int64_t steps, std::int64_t evaluations) {
  Scenario scenario = make_chain_scenario(kOptimizeJoints);
  scenario.robots.front().devices.sensors.push_back(make_head_sensor());
  Study study;
  study.name = "gait";
  study.evaluations = evaluations;
  study.duration = scenario.step * steps;
  study.islands = kIslands;
  study.parameters.push_back(
      {.place = {}, .name = "amplitude", .path = "//sine/@amplitude", .min = "0.1", .max = "0.6"});
  study.parameters.push_back(
      {.place = {}, .name = "frequency", .path = "//sine/@frequency", .min = "0.2", .max = "1"});
  study.objectives.push_back({.place = {}, .maximize = "distance(chain/head/x, chain/head/y)"});
  study.methods.push_back({.place = {}, .options = RandomSearch{}});
  scenario.studies.push_back(study);
  return scenario;
}

StudySetup make_setup(const WorkFolder& folder, std::int64_t steps, std::int64_t evaluations,
                      const Registry& registry) {
  const std::string file = folder.file("study.xml");
  std::ofstream(file) << write_scenario(make_scenario(steps, evaluations), Defaults::kOmit);
  return set_up_study(file, {}, "", registry);
}

std::shared_ptr<const Model> make_model() {
  const Scenario scenario = make_scenario(1, 1);
  Diagnostics diagnostics;
  return build_model(scenario, Assets(scenario, "."), diagnostics);
}

/// Runs the study and measures its duration.
double time_ours(const StudySetup& setup, LocalWorkers& workers, const WorkFolder& folder,
                 std::vector<double>* found) {
  const std::string file = folder.file("results");
  std::filesystem::remove(file);
  const double before = wall_seconds();
  ResultsWriter writer(file, setup, false);
  std::vector<EvaluationRecord> records;
  SearchOptions options{.on_evaluation = [&](const EvaluationRecord& record, bool) { writer.append(record); }};
  const SearchReport report = run_search(setup, workers, options);
  const double seconds = wall_seconds() - before;
  if (!report.is_complete || report.leaders.invalid_count() > 0) {
    throw_user_error({"bench"}, "the study failed: {}", report.failure);
  }
  if (found != nullptr) {
    for (const EvaluationRecord& record : read_results(file).records) {
      if (record.island > 0) found->push_back(record.outcome.objectives[0]);
    }
    std::sort(found->begin(), found->end());
  }
  return seconds;
}

/// The same candidates on the raw engine, with plain threads.
class RawSide {
 public:
  RawSide(const Model& model, int threads) {
    for (int i = 0; i < threads; ++i) gaits_.emplace_back(model);
  }

  double time(const StudySetup& setup, std::vector<double>* found) {
    const auto samples = make_samples(setup);
    std::vector<double> distances(static_cast<std::size_t>(samples->count()));
    const double before = wall_seconds();
    std::atomic<std::int64_t> next = 0;
    {
      std::vector<std::jthread> threads;
      for (RawGait& gait : gaits_) {
        threads.emplace_back([&] {
          for (std::int64_t i = next++; i < samples->count(); i = next++) {
            const std::vector<double> values = setup.values_at(samples->at(i));
            distances[static_cast<std::size_t>(i)] = gait.run(values[0], values[1], setup.steps);
          }
        });
      }
    }
    const double seconds = wall_seconds() - before;
    if (found != nullptr) {
      *found = distances;
      std::sort(found->begin(), found->end());
    }
    return seconds;
  }

 private:
  std::vector<RawGait> gaits_;
};

/// Number of steps that take the raw engine this long, s.
std::int64_t choose_steps(const Model& model, double seconds) {
  constexpr std::int64_t kTrial = 300;
  RawGait gait(model);
  gait.run(0.3, 0.5, kTrial);
  const double before = wall_seconds();
  gait.run(0.3, 0.5, kTrial);
  const double per_step = (wall_seconds() - before) / static_cast<double>(kTrial);
  return std::max<std::int64_t>(2, std::llround(seconds / per_step));
}

std::int64_t choose_evaluations(double seconds_each, int threads) {
  return std::llround(kOptimizeBlockSeconds / seconds_each) * threads;
}

Json measure_evaluations(const char* name, double seconds_each, double seconds, const Registry& registry) {
  const WorkFolder folder;
  const std::shared_ptr<const Model> model = make_model();
  const int threads = core_count();
  const std::int64_t steps = choose_steps(*model, seconds_each);
  const StudySetup setup = make_setup(folder, steps, choose_evaluations(seconds_each, threads), registry);
  LocalWorkers workers(setup, registry, threads);
  RawSide raw(*model, threads);
  std::vector<double> our_distances, raw_distances;
  time_ours(setup, workers, folder, &our_distances);
  raw.time(setup, &raw_distances);

  const auto evaluations = static_cast<double>(setup.study.evaluations);
  std::vector<double> ratios, ours, theirs;
  const double end = wall_seconds() + seconds;
  while (wall_seconds() < end || ratios.size() < 3) {
    const double raw_rate = evaluations / raw.time(setup, nullptr);
    // The unchanged scenario is evaluated, too.
    const double our_rate = (evaluations + 1.0) / time_ours(setup, workers, folder, nullptr);
    ratios.push_back(our_rate / raw_rate);
    ours.push_back(our_rate);
    theirs.push_back(raw_rate);
  }
  return {{"case", name},
          {"ratio", median(ratios)},
          {"evaluations_per_second", median(ours)},
          {"reference_per_second", median(theirs)},
          {"reference", "the raw engine"},
          {"steps", steps},
          {"threads", threads},
          {"pairs", ratios.size()},
          {"same_bits", our_distances == raw_distances}};
}

Json measure_threads(double seconds, const Registry& registry) {
  const WorkFolder folder;
  const std::shared_ptr<const Model> model = make_model();
  const StudySetup setup =
      make_setup(folder, choose_steps(*model, 0.01), choose_evaluations(0.01, 2), registry);
  LocalWorkers one(setup, registry, 1), two(setup, registry, 2);
  RawSide raw_one(*model, 1), raw_two(*model, 2);
  std::vector<double> first, second;
  time_ours(setup, one, folder, &first);
  time_ours(setup, two, folder, &second);
  const auto evaluations = static_cast<double>(setup.study.evaluations + 1);
  std::vector<double> ratios, raw_ratios, ours, theirs;
  const double end = wall_seconds() + seconds;
  while (wall_seconds() < end || ratios.size() < 3) {
    theirs.push_back(evaluations / time_ours(setup, one, folder, nullptr));
    ours.push_back(evaluations / time_ours(setup, two, folder, nullptr));
    ratios.push_back(ours.back() / theirs.back());
    raw_ratios.push_back(raw_one.time(setup, nullptr) / raw_two.time(setup, nullptr));
  }
  return {{"case", "threads"},
          {"ratio", median(ratios)},
          {"evaluations_per_second", median(ours)},
          {"reference_per_second", median(theirs)},
          {"reference", "one thread"},
          {"raw_ratio", median(raw_ratios)},  // speed-up of the raw engine with two threads
          {"threads", 2},
          {"pairs", ratios.size()},
          {"same_bits", first == second}};
}

/// Runs a command and returns the JSON that it prints.
Json run_command(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw_user_error({"bench"}, "cannot start '{}'", command);
  std::string text;
  char buffer[4096];
  for (std::size_t count = 0; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, count);
  const int status = pclose(pipe);
  Json json = Json::parse(text, nullptr, false);
  if (status != 0 || json.is_discarded()) throw_user_error({"bench"}, "'{}' failed", command);
  return json;
}

Json measure_mpi(double seconds, const Registry& registry) {
  const WorkFolder folder;
  const std::shared_ptr<const Model> model = make_model();
  // Long enough that start-up time is small compared with one second of work.
  const StudySetup setup =
      make_setup(folder, choose_steps(*model, 0.01), 2 * choose_evaluations(0.01, 2), registry);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const auto rate_of = [&](const std::string& prefix, const std::string& options, const std::string& results) {
    std::filesystem::remove(folder.file(results));
    const Json json = run_command(fmt::format("{} {} optimize {} --results {} --json {} 2>&1", prefix, self,
                                              setup.scenario_file, folder.file(results), options));
    return json["evaluations"].get<double>() / json["seconds"].get<double>();
  };
  const std::string launcher =
      fmt::format("mpirun{} --oversubscribe --mca oob_tcp_if_include lo --mca btl self,vader -n 2",
                  geteuid() == 0 ? " --allow-run-as-root" : "");
  std::vector<double> ratios, ours, theirs;
  const double end = wall_seconds() + seconds;
  while (wall_seconds() < end || ratios.size() < 3) {
    theirs.push_back(rate_of("", "--threads 2", "threads"));
    ours.push_back(rate_of(launcher, "", "ranks"));
    ratios.push_back(ours.back() / theirs.back());
  }
  const auto bytes = [&](const std::string& name) {
    std::ifstream in(folder.file(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  return {{"case", "mpi"},
          {"ratio", median(ratios)},
          {"evaluations_per_second", median(ours)},
          {"reference_per_second", median(theirs)},
          {"reference", "two threads"},
          {"processes", 2},
          {"pairs", ratios.size()},
          {"same_bits", bytes("threads") == bytes("ranks")}};
}

}  // namespace

Json bench_optimize(const BenchCommand& command, const Registry& registry) {
  const double seconds =
      command.seconds.value_or(command.thorough ? kOptimizeThoroughSeconds : kOptimizeSeconds);
  Json cases = Json::array();
  const auto is_wanted = [&](const char* name) { return command.only.empty() || command.only == name; };
  if (is_wanted("eval-10ms")) cases.push_back(measure_evaluations("eval-10ms", 0.010, seconds, registry));
  if (is_wanted("eval-1ms")) cases.push_back(measure_evaluations("eval-1ms", 0.001, seconds, registry));
  if (is_wanted("threads")) cases.push_back(measure_threads(seconds, registry));
  if (is_wanted("mpi")) cases.push_back(measure_mpi(seconds, registry));
  if (cases.empty()) {
    throw_user_error({"bench", 0, 0}, "unknown case '{}'; expected eval-10ms, eval-1ms, threads, mpi",
                     command.only);
  }
  return {{"bench", "optimize"}, {"cases", cases}};
}

}  // namespace lockstep
