#include "lockstep/run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "assemble/registry.h"
#include "assemble/simulation_testing.h"
#include "scenario/reference.h"
#include "scenario/xsd.h"

namespace lockstep {
namespace {

constexpr const char* kPendulum = R"(<scenario name="s" step="1 ms">
  <robot name="pendulum">
    <link name="rod">
      <joint name="hinge" axis="0 1 0" initial="60 deg"/>
      <box size="2 2 100 cm" position="0 0 -50 cm" mass="1"/>
    </link>
    <sensors><joint_state name="hinge" joint="hinge"/></sensors>
    <actuators><torque name="motor" joint="hinge"/></actuators>
  </robot>
</scenario>)";

Run make_run(const std::string& text = kPendulum, const Registry& registry = default_registry()) {
  return Run(ScenarioFile::from_text(text, "s.xml"), registry);
}

std::string errors_of(const std::string& text, const Registry& registry = default_registry()) {
  try {
    (void)make_run(text, registry);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Run, HasTheHashOfTheSimulationThatAssembleMakes) {
  auto run = make_run();
  Simulation simulation = simulate_text(kPendulum);
  EXPECT_EQ(run.hash(), simulation.hash());
  ASSERT_TRUE(run.advance(200).ok());
  ASSERT_TRUE(simulation.run(200).ok());
  EXPECT_EQ(run.hash(), simulation.hash());
  EXPECT_EQ(run.now().time, std::chrono::milliseconds(200));
}

TEST(Run, ContinuesFromASnapshotBitForBit) {
  auto run = make_run();
  ASSERT_TRUE(run.advance(100).ok());
  const auto snapshot = run.save();
  ASSERT_TRUE(run.advance(100).ok());
  auto other = make_run();
  other.restore(snapshot);
  EXPECT_EQ(other.now().step, 100);
  ASSERT_TRUE(other.advance(100).ok());
  EXPECT_EQ(other.hash(), run.hash());
}

TEST(Run, RejectsASnapshotOfAnotherScenario) {
  auto run = make_run();
  auto other = make_run("<scenario name='s'><object name='ball'><sphere radius='1'/></object></scenario>");
  EXPECT_THROW(other.restore(run.save()), UserError);
}

/// A torque of m g l/2 sin q holds the rod where it is.
TEST(Run, ACommandHoldsUntilItIsSetAgain) {
  auto run = make_run();
  const Slot torque = run.find_signal("pendulum/motor/torque").value();
  const Slot angle = run.find_signal("pendulum/hinge/angle").value();
  const double start = std::acos(0.5);
  ASSERT_TRUE(run.set(torque, 9.81 * 0.5 * std::sin(start)).ok());
  ASSERT_TRUE(run.advance(500).ok());
  EXPECT_NEAR(run.signal(angle), start, 1e-6);
}

TEST(Run, RejectsWhatEventsReject) {
  auto run = make_run();
  const Slot angle = run.find_signal("pendulum/hinge/angle").value();
  const Slot torque = run.find_signal("pendulum/motor/torque").value();
  EXPECT_EQ(run.set(angle, 1.0).error(),
            "signal 'pendulum/hinge/angle' is measured; only command signals can be set");
  EXPECT_EQ(run.set(torque, std::nan("")).error(),
            "signal 'pendulum/motor/torque': the value is not a finite number");
  EXPECT_EQ(run.set_fault("stuck", true).error(), "there is no fault 'stuck'");
  EXPECT_FALSE(run.set_attached(JointId{0}, false).ok());
  EXPECT_FALSE(run.push(BodyId{99}, {}).ok());
  EXPECT_EQ(run.hash(), make_run().hash());
}

TEST(Run, PutsAJointSomewhere) {
  auto run = make_run();
  const JointId hinge = run.model().find_joint("pendulum/hinge").value();
  ASSERT_TRUE(run.set_joint_position(hinge, 0.25).ok());
  EXPECT_EQ(run.world().joint_position(hinge)[0], 0.25);
}

TEST(Run, ShowsAllErrorsOfAFileAtOnce) {
  EXPECT_EQ(errors_of("<scenario name='s'>\n<robot name='r'>\n<link nam='a'/>\n<sensors>\n<gyroo name='g'/>"
                      "</sensors>\n</robot>\n</scenario>"),
            "s.xml:3:7: error: <link> has no attribute 'nam'; did you mean 'name'?\n"
            "s.xml:5:1: error: there is no sensor <gyroo>; did you mean 'gyro'?\n");
}

TEST(Run, StopsWhereAnEventOfTheScenarioStopsIt) {
  std::string text = kPendulum;
  text.insert(text.find("<robot"), "<event at='10 ms' action='stop'/>");
  auto run = make_run(text);
  EXPECT_EQ(run.advance(100).outcome, Outcome::kStopped);
  EXPECT_LT(run.now().step, 100);
}

class Counter final : public Observer {
 public:
  explicit Counter(int& calls) : calls_(calls) {}
  Status observe(const Observation&) override {
    ++calls_;
    return {};
  }

 private:
  int& calls_;
};

TEST(Run, AnObserverOfTheProgramChangesNothing) {
  int calls = 0;
  auto run = make_run();
  run.add_observer("counter", std::make_unique<Counter>(calls), 10);
  ASSERT_TRUE(run.advance(100).ok());
  auto plain = make_run();
  ASSERT_TRUE(plain.advance(100).ok());
  EXPECT_EQ(calls, 10);
  EXPECT_EQ(run.hash(), plain.hash());
}

TEST(ScenarioFile, EditsAsTheCommandLineDoes) {
  ScenarioFile scenario = ScenarioFile::from_text(kPendulum, "s.xml");
  scenario.edit("//joint[@name='hinge']/@initial=90 deg");
  lockstep::Run run(scenario);
  EXPECT_DOUBLE_EQ(run.model().joints[0].initial_position[0], std::acos(0.0));
  EXPECT_THROW(scenario.edit("//joint[@name='elbow']/@initial=1"), UserError);
}

// Kinds of the program's own, by the public visitor.

enum class Side { kLeft, kRight };
constexpr std::pair<std::string_view, Side> kSides[] = {{"left", Side::kLeft}, {"right", Side::kRight}};

struct ProbeConfig {
  std::string joint;
  double gain = 2.0;
  std::optional<double> offset;
  std::int64_t count = 1;
  Vec3 axis = Vec3::UnitX();
  bool reversed = false;
  Duration delay{0};
  Side side = Side::kLeft;
};

template <class V>
void describe(V& v, ProbeConfig& c) {
  v.text("joint", c.joint, {.doc = "Joint to measure.", .required = true});
  v.number("gain", c.gain, {.unit = "rad/s", .min = 0.0, .doc = "A number."});
  v.number("offset", c.offset, {.unit = "m", .doc = "Another; none if omitted."});
  v.integer("count", c.count, {.min = 0.0, .doc = "A whole number."});
  v.vector("axis", c.axis, {.doc = "Three numbers."});
  v.flag("reversed", c.reversed, {.doc = "Yes or no."});
  v.time("delay", c.delay, {.min = 0.0, .doc = "A time."});
  v.choice("side", c.side, kSides, {.doc = "One of two."});
  v.check(c.count != 3, "count", "count is 3; expected another");
}

class Probe final : public Sensor {
 public:
  explicit Probe(Slot value) : value_(value) {}
  void sense(const World&, const Instant& now, Row row) override { row[value_] = now.seconds; }

 private:
  Slot value_;
};

std::unique_ptr<Sensor> make_probe(const ProbeConfig& config, BuildContext& context) {
  const auto joint = context.find_joint(config.joint);
  const auto value = context.add_signal("value", "s", SignalRole::kMeasurement);
  if (!joint || !value) return nullptr;
  return std::make_unique<Probe>(*value);
}

/// With <probe>, whose configuration is also written to `read`.
Registry make_registry(ProbeConfig& read) {
  Registry registry = default_registry();
  registry.add_sensor<ProbeConfig>("probe", "Reads the time.",
                                   [&read](const ProbeConfig& config, BuildContext& context) {
                                     read = config;
                                     return make_probe(config, context);
                                   });
  return registry;
}

std::string with_probe(const std::string& probe) {
  std::string text = kPendulum;
  return text.insert(text.find("<joint_state"), probe);
}

TEST(Registry, ReadsAConfigurationOfTheProgramInSi) {
  ProbeConfig read;
  auto run =
      make_run(with_probe("<probe name='p' joint='hinge' gain='90 deg/s' offset='5 mm' count='7' axis='0 1 0' "
                          "reversed='true' delay='3 ms' side='right' period='2 ms'/>"),
               make_registry(read));
  EXPECT_DOUBLE_EQ(read.gain, std::acos(0.0));
  EXPECT_EQ(read.offset, 0.005);
  EXPECT_EQ(read.count, 7);
  EXPECT_EQ(read.axis, Vec3::UnitY());
  EXPECT_TRUE(read.reversed);
  EXPECT_EQ(read.delay, std::chrono::milliseconds(3));
  EXPECT_EQ(read.side, Side::kRight);
  ASSERT_TRUE(run.advance(4).ok());
  EXPECT_EQ(run.signal(run.find_signal("pendulum/p/value").value()), 0.002);
}

TEST(Registry, KeepsTheDefaultsOfAFreshConfiguration) {
  ProbeConfig read;
  (void)make_run(with_probe("<probe name='p' joint='hinge'/><probe name='q' joint='hinge'/>"),
                 make_registry(read));
  EXPECT_EQ(read.gain, 2.0);
  EXPECT_EQ(read.offset, std::nullopt);
  EXPECT_EQ(read.side, Side::kLeft);
}

TEST(Registry, AKindOfTheProgramHasTheSchemaAndErrorsOfOneOfItsOwn) {
  Registry outside = default_registry();
  outside.add_sensor<ProbeConfig>("probe", "Reads the time.", make_probe);
  Registry inside = default_registry();
  inside.lists().sensors.add<ProbeConfig>("probe", "Reads the time.", make_probe);
  EXPECT_EQ(write_xsd(scenario_schema(outside)), write_xsd(scenario_schema(inside)));
  EXPECT_EQ(write_reference(scenario_schema(outside)), write_reference(scenario_schema(inside)));

  const std::string attributes[] = {"gian='1'",       "gain='1 kg'",    "gain='-1'",  "offset='x'",
                                    "count='1.5'",    "count='3'",      "axis='0 1'", "delay='-1 s'",
                                    "side='up'",      "reversed='yes'", "period='x'", "delay='0.1 ns'",
                                    "period='1.5 ms'"};
  for (const std::string& attribute : attributes) {
    const std::string text = with_probe("\n<probe name='p' joint='hing' " + attribute + "/>");
    const std::string errors = errors_of(text, outside);
    EXPECT_EQ(errors.substr(0, 8), "s.xml:8:") << attribute;
    EXPECT_EQ(errors, errors_of(text, inside)) << attribute;
  }
  EXPECT_EQ(errors_of(with_probe("\n<probe name='p' joint='hing'/>"), outside),
            "s.xml:8:17: error: <probe> 'pendulum/p': unknown joint 'hing'; did you mean 'hinge'?\n");
  EXPECT_EQ(errors_of(with_probe("\n<probe name='p' joint='hinge' gain='1 kg'/>"), outside),
            "s.xml:8:31: error: probe 'p': gain: unit 'kg' does not fit; expected an angular speed in 'rad/s', "
            "such as '90 deg/s'\n");
}

TEST(Registry, SensorsOfTheProgramHaveErrorChildren) {
  ProbeConfig read;
  auto run =
      make_run(with_probe("<probe name='p' joint='hinge'><error bias='1 s'/></probe>"), make_registry(read));
  ASSERT_TRUE(run.step().ok());
  EXPECT_EQ(run.signal(run.find_signal("pendulum/p/value").value()), 1.0);
}

TEST(Registry, ACopyIsIndependent) {
  ProbeConfig read;
  const Registry original = default_registry();
  Registry copy = original;
  copy = make_registry(read);
  EXPECT_EQ(errors_of(with_probe("<probe name='p' joint='hinge'/>"), copy), "");
  EXPECT_NE(errors_of(with_probe("<probe name='p' joint='hinge'/>"), original), "");
}

}  // namespace
}  // namespace lockstep
