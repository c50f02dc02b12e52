// MRSim's example program (section 4.3.3) with Lockstep as a library: two frames and a hinge make a module that
// lies on a box, and the joint is driven to an angle at pi/6 rad/s.
//
// It adds a sensor and a controller of its own to the registry. From then on a scenario names them like any
// other: <tilt> and <ramp>.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <string>

#include "assemble/assemble.h"
#include "scenario/read.h"

namespace {

using namespace lockstep;

/// How far a body leans from upright, rad.
struct TiltConfig {
  std::string body;
};

template <class V>
void describe(V& v, TiltConfig& c) {
  v.text("body", c.body, {.doc = "Body to measure.", .required = true});
}

class Tilt final : public Sensor {
 public:
  Tilt(BodyId body, Slot angle) : body_(body), angle_(angle) {}

  void sense(const World& world, const Instant&, Row row) override {
    const Vec3 up_W = world.body_pose(body_).q * Vec3::UnitZ();
    row[angle_] = std::atan2(std::hypot(up_W.x(), up_W.y()), up_W.z());
  }

 private:
  BodyId body_;
  Slot angle_;
};

/// Moves a command signal to a goal at a constant rate. It remembers how far it has come, so it takes part in
/// snapshots.
struct RampConfig {
  std::string signal;
  double goal = 0.0;
  double rate = 1.0;
};

template <class V>
void describe(V& v, RampConfig& c) {
  v.text("signal", c.signal, {.doc = "Command signal to write.", .required = true});
  v.number("goal", c.goal, {.unit = "rad", .doc = "Where to go."});
  v.number("rate", c.rate, {.unit = "rad/s", .min = 0.0, .doc = "How fast."});
}

class Ramp final : public Controller {
 public:
  Ramp(Slot signal, double goal, double change_per_call)
      : signal_(signal), goal_(goal), change_(change_per_call) {}

  Status decide(const Instant&, Row row) override {
    value_ += std::clamp(goal_ - value_, -change_, change_);
    row[signal_] = value_;
    return {};
  }
  void save(StateWriter& writer) const override { writer.write(value_); }
  void restore(StateReader& reader) override { value_ = reader.read<double>(); }

 private:
  Slot signal_;
  double goal_;
  double change_;
  double value_ = 0.0;
};

Registry make_registry() {
  Registry registry = default_registry();
  registry.sensors.add<TiltConfig>(
      "tilt", "Angle between a body's z axis and upright.",
      [](const TiltConfig& config, BuildContext& context) -> std::unique_ptr<Sensor> {
        const auto body = context.find_body(config.body);
        const auto angle = context.add_signal("angle", "rad", SignalRole::kMeasurement);
        if (!body || !angle) return nullptr;
        return std::make_unique<Tilt>(*body, *angle);
      });
  registry.controllers.add<RampConfig>(
      "ramp", "Moves a command to a goal at a constant rate.",
      [](const RampConfig& config, BuildContext& context) -> std::unique_ptr<Controller> {
        const auto signal = context.find_command(config.signal);
        if (!signal) return nullptr;
        const double seconds_per_call = to_seconds(context.model.step * context.every());
        return std::make_unique<Ramp>(*signal, config.goal, config.rate * seconds_per_call);
      });
  return registry;
}

constexpr const char* kScenario = R"(
<scenario name="module" step="1 ms" duration="5 s">
  <material name="plastic" density="1040" friction="0.6"/>
  <material name="rock" density="2600" friction="0.9"/>
  <object name="box" static="true" position="0 0 -0.5"><box size="5 10 1" material="rock"/></object>
  <robot name="module" position="0 0 0.1">
    <link name="left">
      <joint name="base" type="free"/>
      <box size="0.38 0.2 0.2" position="-0.2 0 0" mass="10" material="plastic"/>
    </link>
    <link name="right" parent="left">
      <joint name="hinge" axis="0 -1 0" lower="-90 deg" upper="90 deg" damping="0.5"/>
      <box size="0.38 0.2 0.2" position="0.2 0 0" mass="10" material="plastic"/>
    </link>
    <sensors>
      <joint_state name="hinge" joint="hinge"/>
      <tilt name="right" body="right"/>
    </sensors>
    <actuators><servo name="hinge" joint="hinge" stiffness="2000" damping="60"/></actuators>
    <controllers><ramp name="ramp" signal="hinge/target" goal="60 deg" rate="30 deg/s"/></controllers>
  </robot>
</scenario>)";

/// Runs the program's scenario and returns whether the joint went where it should, as fast as it should.
bool run_module() {
  const Document document = Document::read_text(kScenario, "module", ".");
  const Scenario scenario = read_scenario(document);
  Diagnostics diagnostics;
  Simulation simulation = assemble(scenario, Assets(scenario, "."), make_registry(), diagnostics);

  const Slot angle = *simulation.signals().find("module/hinge/angle");
  const Slot speed = *simulation.signals().find("module/hinge/speed");
  const Slot tilt = *simulation.signals().find("module/right/angle");
  double speed_underway = 0.0;
  for (int half_second = 1; half_second <= 10; ++half_second) {
    const Status status = simulation.run(500);
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", to_string(status).c_str());
      return false;
    }
    const ConstRow row = simulation.row();
    std::printf("%4.1f s   joint %6.2f deg at %6.2f deg/s   tilt %6.2f deg\n", simulation.now().seconds,
                row[angle] * 180.0 / std::numbers::pi, row[speed] * 180.0 / std::numbers::pi,
                row[tilt] * 180.0 / std::numbers::pi);
    if (half_second == 2) speed_underway = row[speed];
  }
  constexpr double kServoError = 0.05;  // rad; the servo is a spring and gives way under the weight
  const double goal = std::numbers::pi / 3.0;
  return std::abs(simulation.row()[angle] - goal) < kServoError &&
         std::abs(speed_underway - std::numbers::pi / 6.0) < 0.05;
}

}  // namespace

int main() {
  try {
    return run_module() ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const UserError& error) {
    std::fputs(error.what(), stderr);
    return 2;
  }
}
