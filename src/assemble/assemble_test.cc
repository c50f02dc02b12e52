#include "assemble/assemble.h"

#include <gtest/gtest.h>

#include <thread>

#include "assemble/simulation_testing.h"
#include "base/temporary_folder_testing.h"
#include "physics/allocation_counter_testing.h"

namespace lockstep {
namespace {

std::vector<std::filesystem::path> all_scenarios() {
  std::vector<std::filesystem::path> files;
  for (const char* group : {"basics", "arms", "machines", "chains", "studies"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(LOCKSTEP_SOURCE_DIR "/scenarios") / group)) {
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Simulation simulate_file(const std::filesystem::path& file) {
  const LoadedScenario loaded = load_scenario(file, default_registry());
  Diagnostics diagnostics;
  return assemble(loaded.scenario, loaded.assets, default_registry(), diagnostics);
}

std::uint64_t hash_after(const std::filesystem::path& file, std::int64_t steps) {
  Simulation simulation = simulate_file(file);
  EXPECT_TRUE(simulation.run(steps).ok()) << file;
  return simulation.hash();
}

TEST(AssembleThreads, EveryScenarioGivesTheSameHashInTwoThreadsAtOnce) {
  constexpr std::int64_t kSteps = 200;
  for (const auto& file : all_scenarios()) {
    const std::uint64_t alone = hash_after(file, kSteps);
    std::array<std::uint64_t, 2> together{};
    std::vector<std::thread> threads;
    for (std::uint64_t& hash : together) threads.emplace_back([&] { hash = hash_after(file, kSteps); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(together[0], alone) << file;
    EXPECT_EQ(together[1], alone) << file;
  }
}

TEST(Assemble, ASteadyStepAllocatesNothing) {
  // The first steps may grow buffers to their size; events are allowed to allocate, and scripts have a bound.
  constexpr std::int64_t kWarmUp = 50;
  for (const auto& file : all_scenarios()) {
    if (file.stem() == "snake-script") continue;
    Simulation simulation = simulate_file(file);
    ASSERT_TRUE(simulation.run(kWarmUp).ok()) << file;
    const std::int64_t before = allocation_count;
    ASSERT_TRUE(simulation.run(200).ok()) << file;
    EXPECT_EQ(allocation_count - before, 0) << file;
  }
}

TEST(Assemble, LoggingEveryStepAllocatesNothingEither) {
  const LoadedScenario loaded =
      load_scenario(LOCKSTEP_SOURCE_DIR "/scenarios/chains/snake.xml", default_registry());
  const TemporaryFolder folder;
  Diagnostics diagnostics;
  for (const char* file : {"steady.csv", "steady.h5"}) {
    Scenario scenario = loaded.scenario;
    const std::string kind = std::string(file).ends_with(".csv") ? "csv" : "hdf5";
    scenario.devices.observers.push_back({kind, {}, {{"name", "log", {}}, {"file", file, {}}}, {}, ""});
    Simulation simulation =
        assemble(scenario, loaded.assets, default_registry(), diagnostics, {.output_folder = folder.path()});
    ASSERT_TRUE(simulation.run(50).ok());
    const std::int64_t before = allocation_count;
    ASSERT_TRUE(simulation.run(2000).ok());  // several flushes; HDF5's own memory is not counted
    EXPECT_EQ(allocation_count - before, 0) << file;
    EXPECT_TRUE(simulation.finish().ok());
  }
}

TEST(Assemble, HashingEveryStepAllocatesNothingEither) {
  Simulation simulation = simulate_file(LOCKSTEP_SOURCE_DIR "/scenarios/chains/snake.xml");
  ASSERT_TRUE(simulation.run(50).ok());
  (void)simulation.hash();
  const std::int64_t before = allocation_count;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    (void)simulation.hash();
  }
  EXPECT_EQ(allocation_count - before, 0);
}

/// A user-defined device.
struct DoublerConfig {
  std::string signal;
};

template <class V>
void describe(V& v, DoublerConfig& c) {
  v.text("signal", c.signal, {.doc = "Command to write.", .required = true});
}

struct Doubler final : Controller {
  explicit Doubler(Slot slot) : signal(slot) {}
  Status decide(const Instant& now, Row row) override {
    row[signal] = 2.0 * now.seconds;
    return {};
  }
  Slot signal;
};

TEST(Assemble, AKindAddedToTheRegistryWorksLikeABuiltInOne) {
  Registry registry = default_registry();
  registry.lists().controllers.add<DoublerConfig>(
      "doubler", "Twice the time.",
      [](const DoublerConfig& config, BuildContext& context) -> std::unique_ptr<Controller> {
        const auto signal = context.find_command(config.signal);
        if (!signal) return nullptr;
        return std::make_unique<Doubler>(*signal);
      });
  Simulation simulation = simulate_text(
      R"(<scenario name="s"><robot name="r"><link name="a"/>
      <link name="b" parent="a"><joint name="j"/><box mass="1"/></link>
      <actuators><torque name="m" joint="j"/></actuators>
      <controllers><doubler name="d" signal="m/torque" period="10 ms"/></controllers></robot></scenario>)",
      {}, registry);
  ASSERT_TRUE(simulation.run(100).ok());
  EXPECT_EQ(simulation.row()[*simulation.signals().find("r/m/torque")], 2.0 * 0.09);
  const auto names = registry.lists().controllers.names();
  EXPECT_NE(std::find(names.begin(), names.end(), "doubler"), names.end());
}

}  // namespace
}  // namespace lockstep
