// Step 2: a control loop in the program. It reads two signals of an arm and drives a third: PD control with
// gravity compensation lifts a hanging rod of 1 m and 1 kg to 90 degrees and holds it there.

#include <cmath>
#include <cstdio>
#include <numbers>

#include "lockstep/run.h"

using namespace lockstep;

constexpr const char* kScenario = R"(
<scenario name="arm" step="1 ms">
  <robot name="arm" position="0 0 2">
    <link name="stand"/>
    <link name="rod" parent="stand">
      <joint name="hinge" axis="0 1 0"/>
      <box size="2 2 100 cm" position="0 0 -50 cm" mass="1"/>
    </link>
    <sensors><joint_state name="hinge" joint="hinge"/></sensors>
    <actuators><torque name="motor" joint="hinge"/></actuators>
  </robot>
</scenario>)";

int main() try {
  Run run(ScenarioFile::from_text(kScenario, "arm.xml"));
  const Slot angle = run.find_signal("arm/hinge/angle").value();    // rad
  const Slot speed = run.find_signal("arm/hinge/speed").value();    // rad/s
  const Slot torque = run.find_signal("arm/motor/torque").value();  // N m, a command

  constexpr double kGoal = std::numbers::pi / 2.0;
  constexpr double kStiffness = 30.0;           // N m/rad
  constexpr double kDamping = 6.0;              // N m s/rad
  constexpr double kWeight = 1.0 * 9.81 * 0.5;  // m g l/2, N m
  for (int step = 0; step <= 3000; ++step) {
    if (const Status status = run.step(); !status.ok()) {
      std::fprintf(stderr, "%s\n", to_string(status).c_str());
      return 1;
    }
    const double q = run.signal(angle);
    const double command = kStiffness * (kGoal - q) - kDamping * run.signal(speed) + kWeight * std::sin(q);
    if (const Result<void> done = run.set(torque, command); !done) {
      std::fprintf(stderr, "%s\n", done.error().c_str());
      return 1;
    }
    if (step % 500 == 0) std::printf("%.1f s   %6.3f rad\n", run.now().seconds, q);
  }
  return std::abs(run.signal(angle) - kGoal) < 0.001 ? 0 : 1;
} catch (const UserError& error) {
  std::fputs(error.what(), stderr);
  return 2;
}
