#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assemble/assemble.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/models.h"
#include "log/log_observer.h"
#include "physics/mujoco/raw_mujoco.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

/// Steps of one trajectory; then both sides restart. Large models get fewer, to finish in time.
constexpr std::int64_t kTrajectory = 2'000;
constexpr std::int64_t kShortTrajectory = 100;
/// CPU time of one side of one pair: long compared with the clock resolution, short compared with load changes.
constexpr double kEngineBlockSeconds = 0.01;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Lockstep and the raw engine on one scenario; the raw engine gets the forces of Lockstep's run.
class Duel {
 public:
  /// With a file extension (".h5"), every row is logged to a file of that format.
  Duel(const Scenario& scenario, const Registry& registry, std::int64_t trajectory,
       const std::string& log_ending)
      : trajectory_(trajectory), simulation_(make_simulation(scenario, registry)), raw_(simulation_.model()) {
    StateWriter writer;
    simulation_.save(writer);
    start_.assign(writer.bytes().begin(), writer.bytes().end());
    forces_.resize(static_cast<std::size_t>(trajectory_), std::vector<double>(raw_.qvel().size()));
    for (auto& forces : forces_) {
      require_ok(simulation_.step());
      for (std::size_t j = 0; j < simulation_.model().joints.size(); ++j) {
        const JointId joint{static_cast<int>(j)};
        const auto force = simulation_.world().joint_force(joint);
        std::copy(force.begin(), force.end(),
                  forces.begin() + static_cast<std::ptrdiff_t>(raw_.velocity_offset(joint)));
      }
    }
    restart();
    if (!log_ending.empty()) add_log(log_ending);
  }
  ~Duel() {
    (void)simulation_.finish();
    std::error_code error;
    if (!log_.empty()) std::filesystem::remove(log_, error);
  }
  Duel(const Duel&) = delete;
  Duel& operator=(const Duel&) = delete;

  nlohmann::ordered_json measure(const std::string& name, double seconds) {
    const std::int64_t block = choose_block();
    std::vector<double> ratios, ours, theirs;
    const double end = cpu_seconds() + seconds;
    while (cpu_seconds() < end || ratios.size() < 5) {
      if (at_ + block > trajectory_) finish_trajectory();
      const double before = cpu_seconds();
      require_ok(runner_.advance(block).status);
      const double between = cpu_seconds();
      for (std::int64_t i = at_; i < at_ + block; ++i) raw_.step(forces_[static_cast<std::size_t>(i)]);
      const double after = cpu_seconds();
      at_ += block;
      ours.push_back((between - before) / static_cast<double>(block));
      theirs.push_back((after - between) / static_cast<double>(block));
      ratios.push_back((after - between) / (between - before));
    }
    finish_trajectory();
    return {{"case", name},
            {"ratio", median(ratios)},
            {"us_per_step", 1e6 * median(ours)},
            {"raw_us_per_step", 1e6 * median(theirs)},
            {"pairs", ratios.size()},
            {"same_bits", same_bits_}};
  }

 private:
  static Simulation make_simulation(const Scenario& scenario, const Registry& registry) {
    Diagnostics diagnostics;
    return assemble(scenario, Assets(scenario, "."), registry, diagnostics);
  }

  static void require_ok(const Status& status) {
    if (!status.ok()) throw_user_error({"bench", 0, 0}, "{}", to_string(status));
  }

  void add_log(const std::string& ending) {
    log_ = std::filesystem::temp_directory_path() / fmt::format("lockstep-bench-{}{}", getpid(), ending);
    LogSetup setup{.file = log_, .format = *find_log_format(log_)};
    for (std::size_t i = 0; i < simulation_.signals().size(); ++i) setup.signals.push_back(Slot{i});
    auto log = std::make_unique<LogObserver>(std::move(setup), simulation_.signals(), simulation_.model());
    if (const Result<void> opened = log->open(); !opened) {
      throw_user_error({log_.string(), 0, 0}, "cannot be written: {}", opened.error());
    }
    simulation_.add_observer({"log", std::move(log), 1, 0});
  }

  void restart() {
    simulation_.restore(start_);
    raw_.reset();
    at_ = 0;
  }

  void finish_trajectory() {
    for (std::size_t j = 0; j < simulation_.model().joints.size(); ++j) {
      const JointId joint{static_cast<int>(j)};
      const auto position = simulation_.world().joint_position(joint);
      const auto raw = raw_.qpos().subspan(raw_.position_offset(joint), position.size());
      if (!std::equal(position.begin(), position.end(), raw.begin())) same_bits_ = false;
    }
    restart();
  }

  std::int64_t choose_block() {
    const double before = cpu_seconds();
    for (int i = 0; i < 20; ++i) raw_.step(forces_[static_cast<std::size_t>(i)]);
    const double per_step = (cpu_seconds() - before) / 20.0;
    restart();
    return std::clamp<std::int64_t>(std::llround(kEngineBlockSeconds / per_step), 5, trajectory_);
  }

  std::int64_t trajectory_;
  Simulation simulation_;
  Runner runner_{simulation_};
  RawMujoco raw_;
  std::vector<std::uint8_t> start_;
  std::vector<std::vector<double>> forces_;
  std::int64_t at_ = 0;
  bool same_bits_ = true;
  std::filesystem::path log_;
};

}  // namespace

nlohmann::ordered_json bench_engine(const BenchCommand& command, const Registry& registry) {
  const double seconds = command.seconds.value_or(command.thorough ? 30.0 : 4.0);
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  const auto measure = [&](const std::string& name, const Scenario& scenario, double length,
                           std::int64_t trajectory = kTrajectory, const std::string& log_ending = "") {
    if (!command.only.empty() && name != command.only) return;
    cases.push_back(Duel(scenario, registry, trajectory, log_ending).measure(name, length));
  };
  measure("pendulum", make_pendulum_scenario(6), seconds);
  measure("arm", make_arm_scenario(), seconds);
  measure("fourbar", make_four_bar_scenario(), seconds);
  measure("chain", make_chain_scenario(11), seconds);
  measure("chain-devices", make_sensing_chain_scenario(11), seconds);
  measure("chain-devices-hdf5", make_sensing_chain_scenario(11), seconds, kTrajectory, ".h5");
  measure("chain-devices-csv", make_sensing_chain_scenario(11), seconds, kTrajectory, ".csv");
  for (const int joints : {5, 10, 20, 50, 100, 200}) {
    measure(fmt::format("chain-{}", joints), make_chain_scenario(joints), 0.25 * seconds,
            joints < 50 ? kTrajectory : kShortTrajectory);
  }
  if (cases.empty()) {
    throw_user_error(
        {"bench", 0, 0},
        "unknown case '{}'; expected pendulum, arm, fourbar, chain, chain-devices, chain-devices-hdf5, "
        "chain-devices-csv, chain-5 … chain-200",
        command.only);
  }
  return {{"bench", "engine"}, {"cases", cases}};
}

}  // namespace lockstep
