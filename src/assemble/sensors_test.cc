#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "assemble/assemble.h"
#include "base/random.h"
#include "scenario/read.h"
#include "sensors/distance_sensor.h"

/// Every sensor in a small scenario whose answer is known.
namespace lockstep {
namespace {

constexpr double kGravity = 9.81;

Simulation make_simulation(const std::string& inside, const Registry& registry = default_registry()) {
  const Scenario scenario = read_scenario(
      Document::read_text("<scenario name='s' step='1 ms'>" + inside + "</scenario>", "s.xml", "."));
  Diagnostics diagnostics;
  return assemble(scenario, Assets(scenario, "."), registry, diagnostics);
}

double read(const Simulation& simulation, const std::string& signal) {
  const auto slot = simulation.signals().find(signal);
  EXPECT_TRUE(slot.has_value()) << signal;
  return slot ? simulation.row()[*slot] : std::nan("");
}

Vec3 read_vector(const Simulation& simulation, const std::string& device, const std::string& prefix = "") {
  return {read(simulation, device + "/" + prefix + "x"), read(simulation, device + "/" + prefix + "y"),
          read(simulation, device + "/" + prefix + "z")};
}

/// What sensors read so many seconds after the start.
void run_to(Simulation& simulation, double seconds) {
  const auto steps = std::llround(seconds / to_seconds(simulation.step_size())) + 1;
  ASSERT_TRUE(simulation.run(steps - simulation.now().step).ok());
}

// --- Accelerometer, gyro, velocity, joint -----------------------------------------------------------------

TEST(Accelerometer, InFreeFallReadsZero) {
  Simulation simulation = make_simulation(R"(
    <object name="stone" position="0 0 10" velocity="1 2 3"><box size="0.1 0.2 0.3" mass="1"/></object>
    <sensors><accelerometer name="a" body="stone"/></sensors>)");
  run_to(simulation, 0.5);
  EXPECT_LT(read_vector(simulation, "a").norm(), 1e-12);
}

TEST(Accelerometer, AtRestReadsGravityUpwardsInItsOwnAxes) {
  Simulation simulation = make_simulation(R"(
    <ground/>
    <object name="box" position="0 0 0.1"><box size="0.4 0.4 0.2" mass="2"/>
      <site name="level"/><site name="nose-down" rpy="0 90 0 deg" position="0.1 0 0.1"/></object>
    <sensors><accelerometer name="level" site="box/level"/>
      <accelerometer name="down" site="box/nose-down"/></sensors>)");
  run_to(simulation, 2.0);
  constexpr double kSettled = 1e-6;  // m/s^2
  EXPECT_LT((read_vector(simulation, "level") - Vec3(0.0, 0.0, kGravity)).norm(), kSettled);
  EXPECT_LT((read_vector(simulation, "down") - Vec3(-kGravity, 0.0, 0.0)).norm(), kSettled);
}

/// An arm of 0.02 kg m^2 that turns about z, with a frame 0.5 m along x whose y axis points up.
std::string make_arm(double speed, double torque) {
  return fmt::format(R"(<robot name="r"><link name="base"/>
    <link name="arm" parent="base"><joint name="j" initial_velocity="{}"/>
      <inertial mass="1" diagonal="0.02 0.02 0.02"/>
      <site name="tip" position="0.5 0 0" rpy="90 0 0 deg"/></link>
    <sensors><accelerometer name="a" site="tip"/><gyro name="g" site="tip"/><joint name="j" joint="j"/>
      <velocity name="world" site="tip"/><velocity name="own" site="tip" axes="own"/></sensors>
    <actuators><torque name="m" joint="j" initial="{}"/></actuators></robot>)",
                     speed, torque);
}

TEST(Accelerometer, OnASpinningArmReadsTheCentripetalAcceleration) {
  Simulation simulation = make_simulation(make_arm(3.0, 0.0));
  run_to(simulation, 1.0);
  EXPECT_LT((read_vector(simulation, "r/a") - Vec3(-9.0 * 0.5, kGravity, 0.0)).norm(), 1e-9);
}

TEST(Accelerometer, OnAnArmThatSpeedsUpReadsTheTangentialAccelerationToo) {
  Simulation simulation = make_simulation(make_arm(0.0, 0.01));
  run_to(simulation, 1.0);
  const double alpha = 0.01 / 0.02;
  const double speed = alpha * 1.0;
  EXPECT_LT((read_vector(simulation, "r/a") - Vec3(-speed * speed * 0.5, kGravity, -alpha * 0.5)).norm(), 1e-9);
}

TEST(Gyro, ReadsTheRateAboutItsOwnAxes) {
  Simulation simulation = make_simulation(make_arm(3.0, 0.0));
  run_to(simulation, 1.0);
  EXPECT_LT((read_vector(simulation, "r/g") - Vec3(0.0, 3.0, 0.0)).norm(), 1e-9);
}

TEST(VelocitySensor, ReadsThatOfItsOriginInEitherAxes) {
  Simulation simulation = make_simulation(make_arm(3.0, 0.0));
  run_to(simulation, 1.0);
  const Vec3 tangent(-std::sin(3.0), std::cos(3.0), 0.0);
  EXPECT_LT((read_vector(simulation, "r/world", "v") - 1.5 * tangent).norm(), 1e-9);
  EXPECT_LT((read_vector(simulation, "r/world", "w") - Vec3(0.0, 0.0, 3.0)).norm(), 1e-9);
  EXPECT_LT((read_vector(simulation, "r/own", "v") - Vec3(0.0, 0.0, -1.5)).norm(), 1e-9);
  EXPECT_LT((read_vector(simulation, "r/own", "w") - Vec3(0.0, 3.0, 0.0)).norm(), 1e-9);
}

TEST(JointSensor, ReadsAngleSpeedAndTheEffortOfItsActuators) {
  Simulation simulation = make_simulation(make_arm(0.0, 0.01));
  run_to(simulation, 1.0);
  EXPECT_NEAR(read(simulation, "r/j/speed"), 0.5, 1e-9);
  EXPECT_NEAR(read(simulation, "r/j/angle"), 0.25, 1e-3);
  EXPECT_EQ(read(simulation, "r/j/effort"), 0.01);
}

// --- Force and contact ------------------------------------------------------------------------------------

TEST(ForceSensor, ReadsTheWeightOfWhatHangsBelowIt) {
  for (const char* detachable : {"false", "true"}) {
    Simulation simulation = make_simulation(fmt::format(R"(<robot name="r" position="0 0 2"><link name="base"/>
      <link name="load" parent="base" rpy="90 0 0 deg"><joint name="lock" type="fixed" detachable="{}"/>
        <box size="0.1 0.1 0.1" position="0.2 0 0" mass="3"/></link>
      <sensors><force name="own" joint="lock"/><force name="world" joint="lock" axes="world"/></sensors>
      </robot>)",
                                                        detachable));
    run_to(simulation, 0.5);
    constexpr double kSettled = 1e-3;  // N
    EXPECT_LT((read_vector(simulation, "r/world", "force_") - Vec3(0.0, 0.0, 3.0 * kGravity)).norm(), kSettled);
    EXPECT_LT((read_vector(simulation, "r/own", "force_") - Vec3(0.0, 3.0 * kGravity, 0.0)).norm(), kSettled);
    EXPECT_LT((read_vector(simulation, "r/own", "torque_") - Vec3(0.0, 0.0, 0.2 * 3.0 * kGravity)).norm(),
              kSettled);
  }
}

/// A block of 2 kg in rubber on a scale whose plate weighs 1 kg, and a ball in steel beside it.
constexpr const char* kScale = R"(
  <material name="rubber"/><material name="steel"/><ground material="steel"/>
  <robot name="scale"><link name="foot"/>
    <link name="plate" parent="foot" position="0 0 0.1"><joint name="cell" type="fixed"/>
      <box name="top" size="0.5 0.5 0.02" mass="1"/></link>
    <sensors><force name="cell" joint="cell"/><touch name="any" body="plate"/>
      <touch name="top" shape="plate/top" threshold="15 N"/><touch name="heavy" body="plate" threshold="20 N"/>
      <contact name="ball" a="plate" b="ball"/></sensors></robot>
  <object name="block" position="0 0 0.21"><box size="0.2 0.2 0.2" mass="2" material="rubber"/></object>
  <object name="ball" position="1 0 0.1"><sphere radius="0.1" mass="0.5" material="steel"/></object>
  <sensors>
    <contact_force name="block" body="block"/>
    <contact_force name="plate" body="scale/plate"/>
    <contact name="pair" a="block" b="scale"/>
    <contact name="ground" a="ball" b="ground"/>
    <contact name="steel" material_a="steel" material_b="steel" threshold="1 N"/>
    <contact name="rubber" material_a="rubber"/>
  </sensors>)";

constexpr double kSettledForce = 1e-3;  // N

TEST(ForceSensor, InAScaleReadsThePlateAndWhatLiesOnIt) {
  Simulation simulation = make_simulation(kScale);
  run_to(simulation, 1.0);
  EXPECT_NEAR(read(simulation, "scale/cell/force_z"), 3.0 * kGravity, kSettledForce);
}

TEST(ContactForceSensor, ReadsTheWeightItCarriesOrIsCarriedWith) {
  Simulation simulation = make_simulation(kScale);
  run_to(simulation, 1.0);
  EXPECT_LT((read_vector(simulation, "block") - Vec3(0.0, 0.0, 2.0 * kGravity)).norm(), kSettledForce);
  EXPECT_LT((read_vector(simulation, "plate") + Vec3(0.0, 0.0, 2.0 * kGravity)).norm(), kSettledForce);
}

TEST(TouchSensor, ReadsOneAboveItsThresholdAndZeroBelow) {
  Simulation simulation = make_simulation(kScale);
  ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(read(simulation, "scale/any/touch"), 0.0);  // before the first step nothing is known
  run_to(simulation, 1.0);
  EXPECT_EQ(read(simulation, "scale/any/touch"), 1.0);
  EXPECT_EQ(read(simulation, "scale/top/touch"), 1.0);
  EXPECT_EQ(read(simulation, "scale/heavy/touch"), 0.0);  // 19.6 N lie on it
}

TEST(ContactSensor, TellsWhichObjectsAndMaterialsTouch) {
  Simulation simulation = make_simulation(kScale);
  run_to(simulation, 1.0);
  EXPECT_EQ(read(simulation, "pair/touch"), 1.0);
  EXPECT_NEAR(read(simulation, "pair/force"), 2.0 * kGravity, kSettledForce);
  EXPECT_EQ(read(simulation, "pair/points"), 4.0);  // the corners of the block
  EXPECT_EQ(read(simulation, "scale/ball/touch"), 0.0);
  EXPECT_EQ(read(simulation, "scale/ball/force"), 0.0);
  EXPECT_EQ(read(simulation, "ground/points"), 1.0);
  EXPECT_EQ(read(simulation, "steel/touch"), 1.0);
  EXPECT_NEAR(read(simulation, "steel/force"), 0.5 * kGravity, kSettledForce);
  EXPECT_NEAR(read(simulation, "rubber/force"), 2.0 * kGravity, kSettledForce);
}

// --- Distance ---------------------------------------------------------------------------------------------

/// A sensor 1 m above the ground that looks along +x, tilted down by `pitch`.
Simulation look(const std::string& attributes, const std::string& pitch, const std::string& scene) {
  return make_simulation(fmt::format(R"(<ground/>{}
    <robot name="r" position="0 0 1"><link name="base"><box size="0.2 0.2 0.2"/>
      <site name="eye" rpy="0 {} 0 deg"/></link>
      <link name="cover" parent="base" position="0.15 0 0"><sphere radius="0.02"/></link>
      <link name="flap" parent="base" position="0.3 0 0"><joint name="j" axis="0 0 1" damping="1"/>
        <sphere radius="0.05"/></link>
      <sensors><distance name="d" site="eye" {}/></sensors></robot>)",
                                     scene, pitch, attributes));
}

double look_once(const std::string& attributes, const std::string& pitch = "0", const std::string& scene = "") {
  Simulation simulation = look(attributes, pitch, scene);
  EXPECT_TRUE(simulation.step().ok());
  return read(simulation, "r/d/distance");
}

constexpr const char* kWall =
    "<object name='wall' static='true' position='3 0 1'><box size='0.2 2 2'/></object>";

TEST(DistanceSensor, ReadsTheWayToAWall) {
  EXPECT_NEAR(look_once("range='5' ignore='robot'", "0", kWall), 2.9, 1e-9);
}

TEST(DistanceSensor, ReadsTheWayToGroundAndSlopeAlongItsRay) {
  EXPECT_NEAR(look_once("range='5' ignore='robot'", "30"), 1.0 / std::sin(std::numbers::pi / 6.0), 1e-9);
  // A slope of 45 degrees whose surface goes through (2, 0, 1).
  const char* slope =
      "<object name='slope' static='true' position='2 0 1' rpy='0 -45 0 deg'>"
      "<box size='2 2 0.2' position='0 0 -0.1'/></object>";
  EXPECT_NEAR(look_once("range='5' ignore='robot'", "0", slope), 2.0, 1e-9);
}

TEST(DistanceSensor, ReadsAFixedValueWhenNothingIsInRange) {
  EXPECT_EQ(look_once("range='2.8' ignore='robot'", "0", kWall), 2.8);
  EXPECT_EQ(look_once("range='2.8' nothing='-1' ignore='robot'", "0", kWall), -1.0);
}

TEST(DistanceSensor, ReadsItsMinimumForWhatIsNearer) {
  EXPECT_EQ(look_once("range='5' minimum='2.95' ignore='robot'", "0", kWall), 2.95);
}

TEST(DistanceSensor, LooksThroughItsLinkOrItsRobotAsAsked) {
  EXPECT_NEAR(look_once("range='5' ignore='nothing'", "0", kWall), 0.1, 1e-9);  // from inside its box
  EXPECT_NEAR(look_once("range='5'", "0", kWall), 0.25, 1e-9);                  // the flap moves by itself
  EXPECT_NEAR(look_once("range='5' ignore='robot'", "0", kWall), 2.9, 1e-9);
}

TEST(DistanceSensor, SeesInAConeWhatARayMisses) {
  // A ball 20 degrees off the axis, 2 m away.
  const double off = std::numbers::pi / 9.0;
  const std::string ball =
      fmt::format("<object name='ball' static='true' position='{} {} 1'><sphere radius='0.2'/></object>",
                  2.0 * std::cos(off), 2.0 * std::sin(off));
  EXPECT_EQ(look_once("range='5' ignore='robot'", "0", ball), 5.0);
  EXPECT_EQ(look_once("range='5' ignore='robot' angle='20deg' rays='200'", "0", ball), 5.0);
  const double seen = look_once("range='5' ignore='robot' angle='50deg' rays='200'", "0", ball);
  EXPECT_GE(seen, 1.8);         // its nearest point
  EXPECT_LT(seen, 1.8 + 0.02);  // within the spacing of the rays, 3 degrees
}

TEST(DistanceSensor, TellsWhereInItsConeTheNearestShapeIs) {
  // A small ball 10 degrees to the left and 5 degrees up, 2 m away.
  const double left = std::numbers::pi / 18.0, up = std::numbers::pi / 36.0, spacing = 0.04;
  const std::string ball = fmt::format(
      "<object name='ball' static='true' position='{} {} {}'><sphere radius='0.1'/></object>",
      2.0 * std::cos(up) * std::cos(left), 2.0 * std::cos(up) * std::sin(left), 1.0 + 2.0 * std::sin(up));
  Simulation simulation = look("range='5' ignore='robot' angle='40deg' rays='500' bearing='true'", "0", ball);
  EXPECT_TRUE(simulation.step().ok());
  EXPECT_NEAR(read(simulation, "r/d/azimuth"), left, spacing);
  EXPECT_NEAR(read(simulation, "r/d/elevation"), up, spacing);
}

TEST(DistanceSensor, FillsItsConeEvenlyUpToTheEdge) {
  const double half = 0.3;
  const std::vector<Vec3> rays = DistanceSensor::make_directions(2.0 * half, 500);
  EXPECT_EQ(rays.front(), Vec3(Vec3::UnitX()));
  EXPECT_NEAR(std::acos(rays.back().x()), half, 1e-12);
  int inside = 0;
  Vec3 sum = Vec3::Zero();
  for (const Vec3& ray : rays) {
    EXPECT_NEAR(ray.norm(), 1.0, 1e-12);
    inside += std::acos(std::min(1.0, ray.x())) < half / 2.0 ? 1 : 0;
    sum += ray;
  }
  EXPECT_EQ(inside, 125);  // half the angle is a quarter of the area
  EXPECT_LT(std::hypot(sum.y(), sum.z()) / 500.0, 0.01 * half);
}

// --- Closed loops -----------------------------------------------------------------------------------------

/// Two sliders whose ends begin so far apart (m), and a loop that pulls them together.
std::string make_gaping_robot(const std::string& name, double gap) {
  return fmt::format(R"(<robot name="{}" position="0 0 5"><link name="base"/>
    <link name="a" parent="base"><joint name="a" type="slide" axis="1 0 0"/>
      <inertial mass="1" diagonal="0.01 0.01 0.01"/><site name="a"/></link>
    <link name="b" parent="base" position="{} 0 0"><joint name="b" type="slide" axis="1 0 0"/>
      <inertial mass="1" diagonal="0.01 0.01 0.01"/><site name="b"/></link>
    <loop name="l" a="a" b="b"/><sensors><closure name="c"/></sensors></robot>)",
                     name, gap);
}

TEST(ClosureSensor, ReadsTheWidestGapOfItsRobotOrOfAll) {
  Simulation simulation =
      make_simulation(make_gaping_robot("narrow", 0.3e-3) + make_gaping_robot("wide", 0.8e-3) +
                      "<sensors><closure name='all'/></sensors>");
  run_to(simulation, 0.0);
  EXPECT_NEAR(read(simulation, "narrow/c/gap"), 0.3e-3, 1e-15);
  EXPECT_NEAR(read(simulation, "wide/c/gap"), 0.8e-3, 1e-15);
  EXPECT_NEAR(read(simulation, "all/gap"), 0.8e-3, 1e-15);
}

TEST(ClosureSensor, ReadsZeroOnceALoopHasClosed) {
  Simulation simulation = make_simulation(make_gaping_robot("r", 0.8e-3));
  run_to(simulation, 0.2);  // a hundred times the 2 ms with which errors go away
  EXPECT_LT(read(simulation, "r/c/gap"), 1e-12);
}

TEST(ClosureSensor, NeedsALoop) {
  try {
    make_simulation("<sensors><closure name='c'/></sensors>");
    FAIL() << "a sensor of loops without loops";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "s.xml:1:41: error: <closure> 'c': there is no <loop> in the scenario; expected at "
                 "least one\n");
  }
}

// --- Errors -----------------------------------------------------------------------------------------------

/// A hinge that turns at 1 rad/s, with one ideal sensor and one with an error.
Simulation make_turning(const std::string& sensors) {
  return make_simulation(R"(<robot name="r"><link name="base"/>
    <link name="wheel" parent="base"><joint name="j" initial_velocity="1"/>
      <inertial mass="1" diagonal="0.1 0.1 0.1"/></link>
    <sensors><joint name="true" joint="j"/>)" +
                         sensors + "</sensors></robot>");
}

TEST(SensorError, ResolutionRoundsToTheNearestMultiple) {
  Simulation simulation =
      make_turning(R"(<joint name="s" joint="j"><error signal="angle" resolution="1 deg"/></joint>)");
  const double degree = std::numbers::pi / 180.0;
  double largest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    const double angle = read(simulation, "r/s/angle");
    EXPECT_NEAR(angle / degree, std::round(angle / degree), 1e-9);
    largest = std::max(largest, std::abs(angle - read(simulation, "r/true/angle")));
    EXPECT_EQ(read(simulation, "r/s/speed"), read(simulation, "r/true/speed"));
  }
  EXPECT_LE(largest, 0.5 * degree * (1.0 + 1e-9));
  EXPECT_GT(largest, 0.49 * degree - 0.001);  // a step is 1 mrad
}

TEST(SensorError, BiasAndLimitsAreAppliedInThatOrder) {
  Simulation simulation = make_turning(
      R"(<joint name="s" joint="j"><error signal="angle" bias="0.1" lower="0.2" upper="0.5"/></joint>)");
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    EXPECT_EQ(read(simulation, "r/s/angle"), std::clamp(read(simulation, "r/true/angle") + 0.1, 0.2, 0.5));
  }
}

TEST(SensorError, ADelayedReadingIsLateByExactlyItsDelay) {
  Simulation simulation =
      make_turning(R"(<joint name="s" joint="j" period="5 ms"><error signal="angle" delay="20 ms"/></joint>)");
  std::vector<double> truth;
  for (std::size_t i = 0; i < 500; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    truth.push_back(read(simulation, "r/true/angle"));
    const std::size_t sampled = i / 5 * 5;
    EXPECT_EQ(read(simulation, "r/s/angle"), truth[sampled < 20 ? 0 : sampled - 20]) << i;
    EXPECT_EQ(read(simulation, "r/s/speed"), read(simulation, "r/true/speed"));
  }
}

TEST(SensorError, NoiseHasTheMeanAndVarianceAskedFor) {
  Simulation simulation =
      make_turning(R"(<joint name="s" joint="j"><error signal="angle speed" noise="0.02"/></joint>)");
  constexpr int kSamples = 100'000;
  double sum = 0.0, squares = 0.0, product = 0.0, last = 0.0;
  double with_last = 0.0;
  for (int i = 0; i < kSamples; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    const double angle = (read(simulation, "r/s/angle") - read(simulation, "r/true/angle")) / 0.02;
    const double speed = (read(simulation, "r/s/speed") - read(simulation, "r/true/speed")) / 0.02;
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
  EXPECT_NEAR(product / kSamples, 0.0, 5.0 * sigma);    // signals have noise of their own
  EXPECT_NEAR(with_last / kSamples, 0.0, 5.0 * sigma);  // and every reading has
}

TEST(SensorError, TheNoiseOfASensorDependsOnNobodyElse) {
  const std::string one = R"(<joint name="s" joint="j"><error noise="0.1"/></joint>)";
  const std::string other = R"(<joint name="t" joint="j"><error noise="0.1"/></joint>)";
  Simulation alone = make_turning(one);
  Simulation before = make_turning(one + other);
  Simulation after = make_turning(other + one);
  for (int i = 0; i < 100; ++i) {
    for (Simulation* each : {&alone, &before, &after}) ASSERT_TRUE(each->step().ok());
    for (const char* signal : {"r/s/angle", "r/s/speed", "r/s/effort"}) {
      EXPECT_EQ(read(alone, signal), read(before, signal));
      EXPECT_EQ(read(alone, signal), read(after, signal));
    }
    EXPECT_NE(read(before, "r/s/angle"), read(before, "r/t/angle"));
  }
}

TEST(SensorError, AnotherSeedGivesOtherNoise) {
  const std::string robot = R"(<robot name="r"><link name="a"/><link name="b" parent="a"><joint name="j"/>
    <inertial mass="1" diagonal="1 1 1"/></link><sensors><joint name="s" joint="j"><error noise="1"/></joint></sensors></robot>)";
  const auto first_reading = [&](int seed) {
    const Scenario scenario = read_scenario(Document::read_text(
        fmt::format("<scenario name='s' seed='{}'>{}</scenario>", seed, robot), "s.xml", "."));
    Diagnostics diagnostics;
    Simulation simulation = assemble(scenario, Assets(scenario, "."), default_registry(), diagnostics);
    EXPECT_TRUE(simulation.step().ok());
    return read(simulation, "r/s/angle");
  };
  EXPECT_EQ(first_reading(1), first_reading(1));
  EXPECT_NE(first_reading(1), first_reading(2));
}

struct ThermometerConfig {};

template <class V>
void describe(V&, ThermometerConfig&) {}

/// A sensor of a user's own.
struct Thermometer final : Sensor {
  explicit Thermometer(Slot slot) : temperature(slot) {}
  void sense(const World&, const Instant&, Row row) override { row[temperature] = 300.0; }
  Slot temperature;
};

TEST(SensorError, AUsersOwnKindHasErrorsToo) {
  Registry registry = default_registry();
  registry.sensors.add<ThermometerConfig>(
      "thermometer", "How warm it is.",
      [](const ThermometerConfig&, BuildContext& context) -> std::unique_ptr<Sensor> {
        return std::make_unique<Thermometer>(*context.add_signal("temperature", "", SignalRole::kMeasurement));
      });
  Simulation simulation = make_simulation(
      "<sensors><thermometer name='t'><error bias='0.7' resolution='0.5'/></thermometer></sensors>", registry);
  ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(read(simulation, "t/temperature"), 300.5);
}

// --- Snapshots --------------------------------------------------------------------------------------------

TEST(Sensors, RestoredAtAnyStepReadTheSameBits) {
  const std::string everything = R"(
    <material name="rubber" restitution="0.5"/><ground material="rubber"/>
    <object name="ball" position="0.2 0 0.6"><sphere radius="0.1" mass="0.5" material="rubber"/></object>
    <robot name="r"><link name="base" position="0 0 0.5"/>
      <link name="arm" parent="base"><joint name="j" axis="0 1 0" initial="1"/>
        <box size="0.4 0.05 0.05" position="0.2 0 0" mass="1" material="rubber"/><site name="tip" position="0.4 0 0"/></link>
      <link name="tool" parent="arm" position="0.45 0 0"><joint name="lock" type="fixed" detachable="true"/>
        <sphere radius="0.03" mass="0.2"/></link>
      <sensors>
        <joint name="j" joint="j"><error noise="0.01" delay="7 ms"/></joint>
        <pose name="p" site="tip"><error signal="x z" noise="1 mm" resolution="1 mm"/></pose>
        <velocity name="v" site="tip" axes="own" period="3 ms"><error noise="0.1" delay="9 ms"/></velocity>
        <accelerometer name="a" site="tip"><error noise="0.1"/></accelerometer>
        <gyro name="g" site="tip"><error bias="0.1 rad/s"/></gyro>
        <distance name="d" site="tip" angle="30 deg" rays="9"><error noise="1 mm" delay="2 ms"/></distance>
        <force name="f" joint="lock"/><force name="h" joint="j"><error noise="1" signal="force_x"/></force>
        <touch name="t" body="arm"><error delay="4 ms"/></touch>
        <contact name="c" a="arm" b="ball"/><contact_force name="cf" body="arm"/>
      </sensors></robot>
    <event at="200 ms" action="detach" target="r/lock"/>)";
  constexpr std::int64_t kSteps = 600;
  Simulation straight = make_simulation(everything);
  Random random(3, "steps");
  std::vector<std::vector<std::uint8_t>> snapshots;
  std::vector<std::uint64_t> hashes;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    if (random.uniform() < 0.03) {
      StateWriter writer;
      straight.save(writer);
      snapshots.emplace_back(writer.bytes().begin(), writer.bytes().end());
    }
    ASSERT_TRUE(straight.step().ok());
    hashes.push_back(straight.hash());
  }
  ASSERT_GT(snapshots.size(), 5u);
  for (const auto& snapshot : snapshots) {
    Simulation restored = make_simulation(everything);
    restored.restore(snapshot);
    while (restored.now().step < kSteps) {
      ASSERT_TRUE(restored.step().ok());
      ASSERT_EQ(restored.hash(), hashes[static_cast<std::size_t>(restored.now().step) - 1]);
    }
  }
}

}  // namespace
}  // namespace lockstep
