#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "assemble/simulation_testing.h"
#include "delta_control.h"

/// scenarios/machines/delta.xml with its control law in this process instead of over a connection.
namespace lockstep {
namespace {

using Vector = std::array<double, 3>;

constexpr double kGravity = 9.81;

struct DeltaLawConfig {
  double acceleration = 0.0;
};

template <class V>
void describe(V& v, DeltaLawConfig& c) {
  v.number("acceleration", c.acceleration,
           {.unit = "m/s^2", .doc = "Maximum of the move across.", .required = true});
}

class DeltaLaw final : public Controller {
 public:
  struct Motor {
    Slot angle{};
    Slot current{};
  };

  DeltaLaw(const std::array<Motor, 3>& motors, const DeltaSettings& settings) : motors_(motors) {
    delta_start(&control_, &settings);
  }

  Status decide(const Instant& now, Row row) override {
    Vector angle{}, current{};
    for (std::size_t i = 0; i < 3; ++i) angle[i] = row[motors_[i].angle];
    EXPECT_TRUE(delta_control(&control_, now.seconds, angle.data(), current.data()));
    for (std::size_t i = 0; i < 3; ++i) row[motors_[i].current] = current[i];
    return {};
  }

  void save(StateWriter& writer) const override {
    writer.write(control_.is_started);
    for (const double error : control_.error_before) writer.write(error);
  }
  void restore(StateReader& reader) override {
    control_.is_started = reader.read<int>();
    for (double& error : control_.error_before) error = reader.read<double>();
  }

 private:
  std::array<Motor, 3> motors_;
  DeltaControl control_{};
};

Registry make_registry() {
  Registry registry = default_registry();
  registry.lists().controllers.add<DeltaLawConfig>(
      "delta-law", "The control law of examples/delta.",
      [](const DeltaLawConfig& config, BuildContext& context) -> std::unique_ptr<Controller> {
        std::array<DeltaLaw::Motor, 3> motors{};
        for (std::size_t i = 0; i < 3; ++i) {
          const std::string motor = fmt::format("motor{}", i + 1);
          motors[i] = {context.find_signal(motor + "/angle").value(),
                       context.find_command(motor + "/current").value()};
        }
        const double period = to_seconds(context.model.step * context.every());
        return std::make_unique<DeltaLaw>(motors, delta_settings(period, config.acceleration));
      });
  return registry;
}

constexpr double kPayload = 0.1;  // kg, assumed by the control law

/// The text of the scenario with `controllers` in the place of its links, and with another payload (kg).
std::string scenario_text(const std::string& controllers, double payload) {
  std::ifstream stream(std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "scenarios/machines/delta.xml");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::string end_of_links = "</connections>";
  const std::size_t links = text.find("<connections>"), end = text.find(end_of_links);
  if (links != std::string::npos) text.erase(links, end + end_of_links.size() - links);
  const std::string mass = fmt::format("mass=\"{}\"", kPayload);
  text.replace(text.find(mass, text.find("payload")), mass.size(), fmt::format("mass=\"{}\"", payload));
  return text.insert(text.find("</robot>"), controllers);
}

Simulation make_simulation(const std::string& period, double acceleration, double payload = kPayload) {
  const std::string folder = LOCKSTEP_SOURCE_DIR "/scenarios/machines";
  const std::string law =
      fmt::format(R"(<controllers><delta-law name="law" period="{}" acceleration="{}"/></controllers>)", period,
                  acceleration);
  return simulate_text(scenario_text(law, payload), {}, make_registry(), folder);
}

double read(const Simulation& simulation, const std::string& signal) {
  return simulation.row()[simulation.signals().find(signal).value()];
}

Vector read_xyz(const Simulation& simulation, const std::string& prefix) {
  return {read(simulation, prefix + "x"), read(simulation, prefix + "y"), read(simulation, prefix + "z")};
}

double distance(const Vector& a, const Vector& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Maxima over a run.
struct Worst {
  double off_path = 0.0;      ///< m, path error of the plate
  double gap = 0.0;           ///< m, of a loop
  double tilt = 0.0;          ///< rad, of the plate
  double acceleration = 0.0;  ///< m/s^2, of the plate
  double current = 0.0;       ///< A
};

Worst run(Simulation& simulation, const DeltaSettings& settings, double seconds) {
  Worst worst;
  Vector velocity_before{};
  const double step = to_seconds(simulation.step_size());
  while (simulation.now().seconds < seconds) {
    const double time = simulation.now().seconds;
    const Status status = simulation.step();
    EXPECT_TRUE(status.ok()) << to_string(status);
    if (!status.ok()) break;
    Vector p{}, v{}, a{};
    delta_path(&settings, time, p.data(), v.data(), a.data());
    worst.off_path = std::max(worst.off_path, distance(read_xyz(simulation, "delta/plate/"), p));
    worst.gap = std::max(worst.gap, read(simulation, "delta/loops/gap"));
    worst.tilt = std::max(worst.tilt, 2.0 * std::acos(std::min(1.0, read(simulation, "delta/plate/qw"))));
    const Vector velocity = read_xyz(simulation, "delta/plate-speed/v");
    worst.acceleration = std::max(worst.acceleration, distance(velocity, velocity_before) / step);
    velocity_before = velocity;
    for (const char* motor : {"motor1", "motor2", "motor3"}) {
      worst.current =
          std::max(worst.current, std::abs(read(simulation, fmt::format("delta/{}/current", motor))));
    }
  }
  fmt::print("off the path {:.4f} mm, gap {:.5f} mm, tilt {:.5f} mrad, {:.2f} g, {:.2f} A\n",
             1e3 * worst.off_path, 1e3 * worst.gap, 1e3 * worst.tilt, worst.acceleration / kGravity,
             worst.current);
  return worst;
}

TEST(DeltaRobot, FollowsATenGCycleWithinHalfAMillimetreAndKeepsItsLoopsClosed) {
  Simulation simulation = make_simulation("0.5 ms", 10.0 * kGravity);
  const DeltaSettings settings = delta_settings(0.0005, 10.0 * kGravity);
  const Worst worst = run(simulation, settings, delta_start_time() + 4.0 * delta_cycle_time(&settings));
  EXPECT_GE(worst.acceleration, 0.99 * 10.0 * kGravity);
  EXPECT_LT(worst.off_path, 0.5e-3);
  EXPECT_LT(worst.gap, 0.1e-3);
  EXPECT_LT(worst.current, 12.0);  // below the motor limit, so the current was never clamped
}

TEST(DeltaRobot, ToleratesAPayloadErrorOfFiftyPercent) {
  for (const double payload : {0.5 * kPayload, 1.5 * kPayload}) {
    Simulation simulation = make_simulation("0.5 ms", 10.0 * kGravity, payload);
    const DeltaSettings settings = delta_settings(0.0005, 10.0 * kGravity);
    const Worst worst = run(simulation, settings, delta_start_time() + 2.0 * delta_cycle_time(&settings));
    EXPECT_LT(worst.off_path, 0.5e-3);
    EXPECT_LT(worst.gap, 0.1e-3);
  }
}

/// Distance between the plate position from forward kinematics and the simulated one, m.
double off_kinematics(const Simulation& simulation) {
  const World& world = simulation.world();
  Vector q{}, p{};
  for (std::size_t i = 0; i < 3; ++i) {
    q[i] = world.joint_position(world.model().find_joint(fmt::format("delta/motor{}", i + 1)).value())[0];
  }
  EXPECT_TRUE(delta_forward(&kDeltaGeometry, q.data(), p.data()));
  const Vec3 plate = world.body_pose(world.model().find_body("delta/plate").value()).p;
  return distance(p, {plate.x(), plate.y(), plate.z()});
}

TEST(DeltaRobot, MatchesTheKinematics) {
  constexpr double kSlow = 0.1;  // m/s^2, which hardly loads the loops
  Simulation simulation = make_simulation("0.5 ms", kSlow);
  for (int tenth = 0; tenth < 60; ++tenth) {
    ASSERT_TRUE(simulation.run(200).ok());
    const bool is_under_way = simulation.now().seconds > 2.0 * delta_start_time();
    EXPECT_LT(off_kinematics(simulation), is_under_way ? 1e-6 : 0.1e-3);
  }
}

TEST(DeltaRobot, IsReproducibleBitForBitAlsoFromASnapshot) {
  Simulation straight = make_simulation("0.5 ms", 10.0 * kGravity);
  Simulation interrupted = make_simulation("0.5 ms", 10.0 * kGravity);
  ASSERT_TRUE(straight.run(1500).ok());
  ASSERT_TRUE(interrupted.run(777).ok());
  StateWriter saved;
  interrupted.save(saved);
  Simulation resumed = make_simulation("0.5 ms", 10.0 * kGravity);
  resumed.restore(saved.bytes());
  ASSERT_TRUE(resumed.run(1500 - 777).ok());
  EXPECT_EQ(resumed.hash(), straight.hash());
}

TEST(DeltaRobot, At200HertzFollowsASlowerCycle) {
  Simulation simulation = make_simulation("5 ms", 1.0 * kGravity);
  const DeltaSettings settings = delta_settings(0.005, 1.0 * kGravity);
  const Worst worst = run(simulation, settings, delta_start_time() + 2.0 * delta_cycle_time(&settings));
  EXPECT_LT(worst.off_path, 0.5e-3);
  EXPECT_LT(worst.gap, 0.1e-3);
}

}  // namespace
}  // namespace lockstep
