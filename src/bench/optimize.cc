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

/// A folder that goes away with everything in it.
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

StudySetup make_plan(const WorkFolder& folder, std::int64_t steps, std::int64_t evaluations,
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

/// The study, from the first evaluation to the last, and how long it took.
double time_ours(const StudySetup& plan, LocalWorkers& workers, const WorkFolder& folder,
                 std::vector<double>* found) {
  const std::string file = folder.file("results");
  std::filesystem::remove(file);
  const double before = wall_seconds();
  ResultsWriter writer(file, plan, false);
  std::vector<EvaluationRecord> records;
  SearchOptions options{.on_evaluation = [&](const EvaluationRecord& record, bool) { writer.append(record); }};
  const SearchReport report = run_search(plan, workers, options);
  const double seconds = wall_seconds() - before;
  if (!report.is_complete || report.leaders.invalid_count() > 0) {
    throw_user_error({"bench"}, "the study did not go well: {}", report.failure);
  }
  if (found != nullptr) {
    for (const EvaluationRecord& record : read_results(file).records) {
      if (record.island > 0) found->push_back(record.outcome.objectives[0]);
    }
    std::sort(found->begin(), found->end());
  }
  return seconds;
}

/// The same candidates on the raw engine, by plain threads.
class RawSide {
 public:
  RawSide(const Model& model, int threads) {
    for (int i = 0; i < threads; ++i) gaits_.emplace_back(model);
  }

  double time(const StudySetup& plan, std::vector<double>* found) {
    const auto samples = make_samples(plan);
    std::vector<double> distances(static_cast<std::size_t>(samples->count()));
    const double before = wall_seconds();
    std::atomic<std::int64_t> next = 0;
    {
      std::vector<std::jthread> threads;
      for (RawGait& gait : gaits_) {
        threads.emplace_back([&] {
          for (std::int64_t i = next++; i < samples->count(); i = next++) {
            const std::vector<double> values = plan.values_at(samples->at(i));
            distances[static_cast<std::size_t>(i)] = gait.run(values[0], values[1], plan.steps);
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

/// How many steps take the raw engine so long, s.
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
  const StudySetup plan = make_plan(folder, steps, choose_evaluations(seconds_each, threads), registry);
  LocalWorkers workers(plan, registry, threads);
  RawSide raw(*model, threads);
  std::vector<double> our_distances, raw_distances;
  time_ours(plan, workers, folder, &our_distances);
  raw.time(plan, &raw_distances);

  const auto evaluations = static_cast<double>(plan.study.evaluations);
  std::vector<double> ratios, ours, theirs;
  const double end = wall_seconds() + seconds;
  while (wall_seconds() < end || ratios.size() < 3) {
    const double raw_rate = evaluations / raw.time(plan, nullptr);
    // The scenario as it stands is evaluated, too.
    const double our_rate = (evaluations + 1.0) / time_ours(plan, workers, folder, nullptr);
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
  const StudySetup plan = make_plan(folder, choose_steps(*model, 0.01), choose_evaluations(0.01, 2), registry);
  LocalWorkers one(plan, registry, 1), two(plan, registry, 2);
  RawSide raw_one(*model, 1), raw_two(*model, 2);
  std::vector<double> first, second;
  time_ours(plan, one, folder, &first);
  time_ours(plan, two, folder, &second);
  const auto evaluations = static_cast<double>(plan.study.evaluations + 1);
  std::vector<double> ratios, raw_ratios, ours, theirs;
  const double end = wall_seconds() + seconds;
  while (wall_seconds() < end || ratios.size() < 3) {
    theirs.push_back(evaluations / time_ours(plan, one, folder, nullptr));
    ours.push_back(evaluations / time_ours(plan, two, folder, nullptr));
    ratios.push_back(ours.back() / theirs.back());
    raw_ratios.push_back(raw_one.time(plan, nullptr) / raw_two.time(plan, nullptr));
  }
  return {{"case", "threads"},
          {"ratio", median(ratios)},
          {"evaluations_per_second", median(ours)},
          {"reference_per_second", median(theirs)},
          {"reference", "one thread"},
          {"raw_ratio", median(raw_ratios)},  // what the cores give to two threads of the raw engine
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
  // Long enough that one second of work stands against what it takes to begin.
  const StudySetup plan =
      make_plan(folder, choose_steps(*model, 0.01), 2 * choose_evaluations(0.01, 2), registry);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const auto rate_of = [&](const std::string& prefix, const std::string& options, const std::string& results) {
    std::filesystem::remove(folder.file(results));
    const Json json = run_command(fmt::format("{} {} optimize {} --results {} --json {} 2>&1", prefix, self,
                                              plan.scenario_file, folder.file(results), options));
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
    throw_user_error({"bench", 0, 0}, "there is no case '{}'; eval-10ms, eval-1ms, threads, mpi are",
                     command.only);
  }
  return {{"bench", "optimize"}, {"cases", cases}};
}

}  // namespace lockstep
