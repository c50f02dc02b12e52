// Step 3: a sensor of the program's own, <tilt>. Once it is in the registry, a scenario names it like any other.
// A pole falls from 5 degrees against a stop at 60; the sensor measures how far it leans.

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "lockstep/run.h"

using namespace lockstep;

struct TiltConfig {
  std::string body;  // the attribute of <tilt>, beside name and period, which all devices have
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

std::unique_ptr<Sensor> make_tilt(const TiltConfig& config, BuildContext& context) {
  const auto body = context.find_body(config.body);
  const auto angle = context.add_signal("angle", "rad", SignalRole::kMeasurement);
  if (!body || !angle) return nullptr;  // the error is reported already
  return std::make_unique<Tilt>(*body, *angle);
}

constexpr const char* kScenario = R"(
<scenario name="pole" step="1 ms">
  <robot name="pole">
    <link name="pole">
      <joint name="hinge" axis="0 1 0" initial="5 deg" lower="-60 deg" upper="60 deg" damping="1"/>
      <box size="4 4 100 cm" position="0 0 50 cm" mass="2"/>
    </link>
    <sensors><tilt name="lean" body="pole" period="2 ms"/></sensors>
  </robot>
</scenario>)";

int main() try {
  Registry registry = default_registry();
  registry.add_sensor<TiltConfig>("tilt", "Angle between a body's z axis and upright.", make_tilt);

  Run run(ScenarioFile::from_text(kScenario, "pole.xml"), registry);
  const Slot lean = run.find_signal("pole/lean/angle").value();
  Status status;
  for (int i = 0; i < 4 && status.ok(); ++i) {
    status = run.advance(500);
    std::printf("%.1f s   leans %.3f rad\n", run.now().seconds, run.signal(lean));
  }
  return status.ok() ? 0 : 1;
} catch (const UserError& error) {
  std::fputs(error.what(), stderr);
  return 2;
}
