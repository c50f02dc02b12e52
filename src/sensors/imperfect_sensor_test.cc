#include "sensors/imperfect_sensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "assemble/simulation_testing.h"

namespace lockstep {
namespace {

/// A hinge that turns at 1 rad/s, with one ideal sensor and one with an error.
Simulation make_turning(const std::string& sensors) {
  return simulate(R"(<robot name="r"><link name="base"/>
    <link name="wheel" parent="base"><joint name="j" initial_velocity="1"/>
      <inertial mass="1" diagonal="0.1 0.1 0.1"/></link>
    <sensors><joint_state name="true" joint="j"/>)" +
                  sensors + "</sensors></robot>");
}

TEST(SensorError, ResolutionRoundsToTheNearestMultiple) {
  Simulation simulation = make_turning(
      R"(<joint_state name="s" joint="j"><error signal="angle" resolution="1 deg"/></joint_state>)");
  const double degree = std::numbers::pi / 180.0;
  double largest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    const double angle = read_signal(simulation, "r/s/angle");
    EXPECT_NEAR(angle / degree, std::round(angle / degree), 1e-9);
    largest = std::max(largest, std::abs(angle - read_signal(simulation, "r/true/angle")));
    EXPECT_EQ(read_signal(simulation, "r/s/speed"), read_signal(simulation, "r/true/speed"));
  }
  EXPECT_LE(largest, 0.5 * degree * (1.0 + 1e-9));
  EXPECT_GT(largest, 0.49 * degree - 0.001);  // a step is 1 mrad
}

TEST(SensorError, BiasAndLimitsAreAppliedInThatOrder) {
  Simulation simulation = make_turning(
      R"(<joint_state name="s" joint="j"><error signal="angle" bias="0.1" lower="0.2" upper="0.5"/></joint_state>)");
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    EXPECT_EQ(read_signal(simulation, "r/s/angle"),
              std::clamp(read_signal(simulation, "r/true/angle") + 0.1, 0.2, 0.5));
  }
}

TEST(SensorError, ADelayedReadingIsLateByExactlyItsDelay) {
  Simulation simulation = make_turning(
      R"(<joint_state name="s" joint="j" period="5 ms"><error signal="angle" delay="20 ms"/></joint_state>)");
  std::vector<double> truth;
  for (std::size_t i = 0; i < 500; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    truth.push_back(read_signal(simulation, "r/true/angle"));
    const std::size_t sampled = i / 5 * 5;
    EXPECT_EQ(read_signal(simulation, "r/s/angle"), truth[sampled < 20 ? 0 : sampled - 20]) << i;
    EXPECT_EQ(read_signal(simulation, "r/s/speed"), read_signal(simulation, "r/true/speed"));
  }
}

TEST(SensorError, NoiseHasZeroMeanAndTheGivenVariance) {
  Simulation simulation = make_turning(
      R"(<joint_state name="s" joint="j"><error signal="angle speed" noise="0.02"/></joint_state>)");
  constexpr int kSamples = 100'000;
  double sum = 0.0, squares = 0.0, product = 0.0, last = 0.0;
  double with_last = 0.0;
  for (int i = 0; i < kSamples; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    const double angle =
        (read_signal(simulation, "r/s/angle") - read_signal(simulation, "r/true/angle")) / 0.02;
    const double speed =
        (read_signal(simulation, "r/s/speed") - read_signal(simulation, "r/true/speed")) / 0.02;
    sum += angle;
    squares += angle * angle;
    product += angle * speed;
    with_last += angle * last;
    last = angle;
  }
  // Five standard deviations of each mean, for normal numbers: those of x, x^2 and x y are 1, sqrt 2 and 1.
  const double sigma = 1.0 / std::sqrt(static_cast<double>(kSamples));
  EXPECT_NEAR(sum / kSamples, 0.0, 5.0 * sigma);
  EXPECT_NEAR(squares / kSamples, 1.0, 5.0 * std::sqrt(2.0) * sigma);
  EXPECT_NEAR(product / kSamples, 0.0, 5.0 * sigma);    // signals are independent
  EXPECT_NEAR(with_last / kSamples, 0.0, 5.0 * sigma);  // and so are readings
}

TEST(SensorError, NoiseIsIndependentOfOtherSensors) {
  const std::string one = R"(<joint_state name="s" joint="j"><error noise="0.1"/></joint_state>)";
  const std::string other = R"(<joint_state name="t" joint="j"><error noise="0.1"/></joint_state>)";
  Simulation alone = make_turning(one);
  Simulation before = make_turning(one + other);
  Simulation after = make_turning(other + one);
  for (int i = 0; i < 100; ++i) {
    for (Simulation* each : {&alone, &before, &after}) ASSERT_TRUE(each->step().ok());
    for (const char* signal : {"r/s/angle", "r/s/speed", "r/s/effort"}) {
      EXPECT_EQ(read_signal(alone, signal), read_signal(before, signal));
      EXPECT_EQ(read_signal(alone, signal), read_signal(after, signal));
    }
    EXPECT_NE(read_signal(before, "r/s/angle"), read_signal(before, "r/t/angle"));
  }
}

TEST(SensorError, ADifferentSeedGivesDifferentNoise) {
  const std::string robot = R"(<robot name="r"><link name="a"/><link name="b" parent="a"><joint name="j"/>
    <inertial mass="1" diagonal="1 1 1"/></link><sensors><joint_state name="s" joint="j"><error noise="1"/></joint_state></sensors></robot>)";
  const auto first_reading = [&](int seed) {
    Simulation simulation =
        simulate_text(fmt::format("<scenario name='s' seed='{}'>{}</scenario>", seed, robot));
    EXPECT_TRUE(simulation.step().ok());
    return read_signal(simulation, "r/s/angle");
  };
  EXPECT_EQ(first_reading(1), first_reading(1));
  EXPECT_NE(first_reading(1), first_reading(2));
}

struct ThermometerConfig {};

template <class V>
void describe(V&, ThermometerConfig&) {}

/// A sensor kind that a user adds.
struct Thermometer final : Sensor {
  explicit Thermometer(Slot slot) : temperature(slot) {}
  void sense(const World&, const Instant&, Row row) override { row[temperature] = 300.0; }
  Slot temperature;
};

TEST(SensorError, AppliesToUserDefinedKinds) {
  Registry registry = default_registry();
  registry.lists().sensors.add<ThermometerConfig>(
      "thermometer", "How warm it is.",
      [](const ThermometerConfig&, BuildContext& context) -> std::unique_ptr<Sensor> {
        return std::make_unique<Thermometer>(*context.add_signal("temperature", "", SignalRole::kMeasurement));
      });
  Simulation simulation = simulate(
      "<sensors><thermometer name='t'><error bias='0.7' resolution='0.5'/></thermometer></sensors>", registry);
  ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(read_signal(simulation, "t/temperature"), 300.5);
}

}  // namespace
}  // namespace lockstep
