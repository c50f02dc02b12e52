#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "assemble/simulation_testing.h"

/// Small mechanisms that an actuator moves, on the default engine, to compare with closed forms. The step is 1
/// ms.
namespace lockstep {

inline constexpr double kG = 9.81;     // m/s^2
inline constexpr double kStep = 1e-3;  // s
inline constexpr double kRounding = 1e-9;

/// A simulation with accessors for tests of actuators.
class Sim {
 public:
  /// A scenario with this inside.
  explicit Sim(const std::string& inside) : simulation_(simulate(inside)) {}

  void run(std::int64_t steps) {
    const Status status = simulation_.run(steps);
    ASSERT_TRUE(status.ok()) << to_string(status);
  }
  /// Runs until the condition holds; the number of steps taken.
  template <typename Condition>
  std::int64_t run_until(Condition condition) {
    constexpr std::int64_t kMax = 100'000;
    while (!condition() && simulation_.now().step < kMax && simulation_.step().ok()) {
    }
    return simulation_.now().step;
  }
  /// From the row of the last step, which describes the instant before it.
  double signal(const std::string& name) const { return read_signal(simulation_, name); }
  double position(const std::string& joint) const {
    return simulation_.world().joint_position(*simulation_.model().find_joint(joint))[0];
  }
  double speed(const std::string& joint) const {
    return simulation_.world().joint_velocity(*simulation_.model().find_joint(joint))[0];
  }
  Vec3 place(const std::string& body) const {
    return simulation_.world().body_pose(*simulation_.model().find_body(body)).p;
  }
  Twist velocity(const std::string& body) const {
    return simulation_.world().body_velocity(*simulation_.model().find_body(body));
  }
  Simulation& simulation() { return simulation_; }

 private:
  Simulation simulation_;
};

/// A wheel of 0.02 kg m^2 that turns about the vertical.
inline std::string wheel(const std::string& actuator, const std::string& events = "") {
  return R"(<robot name="r"><link name="stand"/><link name="wheel" parent="stand"><joint name="axle"/>
      <inertial mass="1" diagonal="0.1 0.1 0.02"/></link><actuators>)" +
         actuator + "</actuators></robot>" + events;
}
inline constexpr double kInertia = 0.02;

/// A carriage of 2 kg that moves up and down.
inline std::string lift(const std::string& actuator, const std::string& events = "") {
  return R"(<robot name="r"><link name="rail"/><link name="cabin" parent="rail"><joint name="lift" type="slide"/>
      <inertial mass="2" diagonal="0.1 0.1 0.1"/></link><actuators>)" +
         actuator + "</actuators></robot>" + events;
}
inline constexpr double kCabin = 2.0;  // kg

inline std::string set(const std::string& at, const std::string& signal, const std::string& value) {
  return R"(<event action="set" at=")" + at + R"(" target=")" + signal + R"(" value=")" + value + R"("/>)";
}

/// A ball of 2 kg at a distance below a magnet that hangs at a height of 5 m.
inline std::string magnet(const std::string& attributes, double distance, const std::string& more) {
  return R"(<object name="crane" static="true" position="0 0 5"><sphere collide="false"/><site name="pole"/></object>
      <object name="ball" position="0 0 )" +
         fmt::format("{}", 5.0 - distance) + R"("><sphere radius="0.1" mass="2"/>
      <site name="eye"/></object><actuators><magnet name="m" a="crane/pole" b="ball/eye" )" +
         attributes + "/>" + more;
}

/// A load of 2 kg that hangs on a lock.
inline std::string dropper(const std::string& lock, const std::string& events, const std::string& robot = "r") {
  return R"(<robot name=")" + robot +
         R"(" position="3 0 5"><link name="hook"/><link name="load" parent="hook" position="0 0 -0.5">
      <joint name="lock" type="fixed" detachable="true"/><sphere radius="0.1" mass="2"/></link>
      <actuators>)" +
         lock + "</actuators></robot>" + events;
}

}  // namespace lockstep
