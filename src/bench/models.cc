#include "bench/models.h"

#include <fmt/format.h>

#include "physics/mujoco/options.h"

namespace lockstep {
namespace {

using Attributes = std::vector<std::pair<std::string, std::string>>;

Element make_element(const std::string& kind, const Attributes& attributes) {
  Element element;
  element.name = kind;
  for (const auto& [name, value] : attributes) element.attributes.push_back({name, value, {}});
  return element;
}

Link make_link(const std::string& name, const std::string& parent, const Vec3& position) {
  Link link;
  link.name = name;
  link.parent = parent;
  link.pose.p = position;
  return link;
}

Joint make_hinge(const std::string& name, const Vec3& axis) {
  Joint joint;
  joint.name = name;
  joint.axis = axis;
  return joint;
}

Shape make_capsule(double radius, double length, const Vec3& center, const Quat& turn, double mass) {
  Shape shape;
  shape.geometry = Capsule{radius, length};
  shape.pose = {center, turn};
  shape.mass = mass;
  return shape;
}

const Quat kAlongX(Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitY()));

Scenario make_scenario(const std::string& name, Duration step) {
  Scenario scenario;
  scenario.name = name;
  scenario.step = step;
  scenario.duration = std::chrono::seconds(10);
  return scenario;
}

void add_sensor_and_motor(Robot& robot, const std::string& joint) {
  robot.devices.sensors.push_back(make_element("joint_state", {{"name", joint}, {"joint", joint}}));
  robot.devices.actuators.push_back(make_element("torque", {{"name", joint}, {"joint", joint}}));
}

void add_sensor_and_servo(Robot& robot, const std::string& joint, double stiffness, double damping) {
  robot.devices.sensors.push_back(make_element("joint_state", {{"name", joint}, {"joint", joint}}));
  robot.devices.actuators.push_back(make_element("servo", {{"name", joint},
                                                           {"joint", joint},
                                                           {"stiffness", fmt::format("{}", stiffness)},
                                                           {"damping", fmt::format("{}", damping)}}));
}

}  // namespace

Scenario make_pendulum_scenario(int links) {
  Scenario scenario = make_scenario("pendulum", std::chrono::milliseconds(1));
  Robot robot;
  robot.name = "pendulum";
  robot.pose.p = {0.0, 0.0, 2.0};
  robot.links.push_back(make_link("stand", "", Vec3::Zero()));
  for (int i = 1; i <= links; ++i) {
    Link link = make_link(fmt::format("link{}", i), i == 1 ? "stand" : fmt::format("link{}", i - 1),
                          i == 1 ? Vec3::Zero() : Vec3(0.0, 0.0, -0.3));
    link.joint = make_hinge(fmt::format("joint{}", i), Vec3::UnitY());
    link.joint->initial = i == 1 ? 0.8 : 0.0;
    link.joint->damping = 0.01;
    link.shapes.push_back(make_capsule(0.02, 0.26, Vec3(0.0, 0.0, -0.15), Quat::Identity(), 0.5));
    robot.links.push_back(link);
    add_sensor_and_motor(robot, fmt::format("joint{}", i));
  }
  scenario.robots.push_back(robot);
  return scenario;
}

Scenario make_arm_scenario() {
  Scenario scenario = make_scenario("arm", std::chrono::milliseconds(1));
  Robot robot;
  robot.name = "arm";
  robot.links.push_back(make_link("base", "", Vec3::Zero()));
  for (int i = 1; i <= 7; ++i) {
    Link link = make_link(fmt::format("link{}", i), i == 1 ? "base" : fmt::format("link{}", i - 1),
                          Vec3(0.0, 0.0, i == 1 ? 0.1 : 0.2));
    link.joint = make_hinge(fmt::format("joint{}", i), i % 2 == 1 ? Vec3::UnitZ() : Vec3::UnitY());
    link.joint->initial = 0.3;
    link.joint->damping = 0.5;
    link.joint->armature = 0.05;
    link.shapes.push_back(make_capsule(0.04, 0.12, Vec3(0.0, 0.0, 0.1), Quat::Identity(), 4.0 - 0.5 * i));
    robot.links.push_back(link);
    add_sensor_and_servo(robot, fmt::format("joint{}", i), 200.0, 10.0);
  }
  scenario.robots.push_back(robot);
  return scenario;
}

Scenario make_four_bar_scenario() {
  Scenario scenario = make_scenario("fourbar", std::chrono::microseconds(500));
  Robot robot;
  robot.name = "linkage";
  robot.pose.p = {0.0, 0.0, 0.5};
  // A parallelogram: crank and rocker of 0.2 m, base and coupler of 0.4 m.
  const auto add = [&](const char* name, const char* parent, const Vec3& at, const Vec3& along) {
    Link link = make_link(name, parent, at);
    link.joint = make_hinge(name, Vec3::UnitY());
    link.joint->damping = 0.01;
    Shape bar;
    bar.geometry = Box{along.cwiseAbs() + Vec3::Constant(0.02)};
    bar.pose.p = 0.5 * along;
    bar.mass = along.norm();
    bar.collide = false;
    link.shapes.push_back(bar);
    Site end;
    end.name = fmt::format("{}-end", name);
    end.pose.p = along;
    link.sites.push_back(end);
    robot.links.push_back(link);
    add_sensor_and_motor(robot, name);
  };
  robot.links.push_back(make_link("base", "", Vec3::Zero()));
  add("crank", "base", Vec3::Zero(), Vec3(0.0, 0.0, 0.2));
  add("coupler", "crank", Vec3(0.0, 0.0, 0.2), Vec3(0.4, 0.0, 0.0));
  add("rocker", "base", Vec3(0.4, 0.0, 0.0), Vec3(0.0, 0.0, 0.2));
  robot.devices.actuators[0].attributes.push_back({"initial", "0.2", {}});
  Loop loop;
  loop.name = "pin";
  loop.a = "coupler-end";
  loop.b = "rocker-end";
  robot.loops.push_back(loop);
  scenario.robots.push_back(robot);
  return scenario;
}

Scenario make_chain_scenario(int joints) {
  Scenario scenario = make_scenario("chain", std::chrono::milliseconds(2));
  // So that both sides solve the same problem.
  scenario.engine.own = write_own(MujocoOptions{.level_sliding = false, .steady_spin = false});
  scenario.grounds.push_back({});
  Robot robot;
  robot.name = "chain";
  robot.pose.p = {0.0, 0.0, 0.035};
  for (int i = 0; i <= joints; ++i) {
    Link link = make_link(fmt::format("m{}", i), i == 0 ? "" : fmt::format("m{}", i - 1),
                          i == 0 ? Vec3::Zero() : Vec3(0.1, 0.0, 0.0));
    if (i == 0) {
      link.joint = make_hinge("base", Vec3::UnitZ());
      link.joint->type = JointType::kFree;
    } else {
      const std::string name = fmt::format("joint{}", i);
      link.joint = make_hinge(name, i % 2 == 1 ? Vec3::UnitY() : Vec3::UnitZ());
      link.joint->damping = 0.1;
      link.joint->armature = 0.001;
      add_sensor_and_servo(robot, name, 20.0, 0.2);
      if (i % 2 == 1) {
        robot.devices.controllers.push_back(make_element("sine", {{"name", name},
                                                                  {"signal", name + "/target"},
                                                                  {"amplitude", "0.3"},
                                                                  {"frequency", "0.5"},
                                                                  {"phase", fmt::format("{}", -0.6 * i)},
                                                                  {"period", "10 ms"}}));
      }
    }
    link.shapes.push_back(make_capsule(0.03, 0.05, Vec3(0.05, 0.0, 0.0), kAlongX, 0.2));
    robot.links.push_back(link);
  }
  scenario.robots.push_back(robot);
  return scenario;
}

Scenario make_sensing_chain_scenario(int joints) {
  Scenario scenario = make_chain_scenario(joints);
  Robot& robot = scenario.robots.front();
  for (int i = 1; i <= joints; ++i) {
    const std::string link = fmt::format("m{}", i);
    for (const char* kind : {"pose", "velocity"}) {
      robot.devices.sensors.push_back(
          make_element(kind, {{"name", fmt::format("{}-{}", link, kind)}, {"body", link}}));
    }
  }
  return scenario;
}

}  // namespace lockstep
