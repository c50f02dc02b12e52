#include "formats/common/devices.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "formats/mjcf/mjcf_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Law of an actuator of MuJoCo: force = gain * ctrl + bias[0] + bias[1] * length + bias[2] * speed.
struct Law {
  double gain = 1.0;
  std::array<double, 3> bias = {0.0, 0.0, 0.0};
  bool is_plain = true;  ///< neither muscle nor adhesion, without activation dynamics
};

class DeviceImporter {
 public:
  DeviceImporter(MjcfSource& source, const MjcfNames& names, const std::vector<double>& control,
                 Scenario& scenario)
      : source_(source),
        values_(source.values()),
        names_(names),
        control_(control),
        scenario_(scenario),
        taken_(scenario.robots.size()) {
    for (std::size_t i = 0; i < scenario.robots.size(); ++i) {
      for (const Link& link : scenario.robots[i].links) {
        if (link.joint) (void)taken_[i].make(link.joint->name);
      }
    }
  }

  void run() {
    std::size_t index = 0;
    for (const Element* element : source_.section("actuator")) add_actuator(*element, index++);
    for (const Element* element : source_.section("sensor")) add_sensor(*element);
  }

 private:
  std::string name_for(const Element& element, std::size_t robot) {
    const std::string name = XmlValues::text(element, "name");
    return taken_[robot].make(name.empty() ? element.name : name.substr(name.find('/') + 1));
  }

  double start_of(std::size_t index) const { return index < control_.size() ? control_[index] : 0.0; }
  /// -0 is also the default.
  static double unsigned_zero(double value) { return value == 0.0 ? 0.0 : value; }

  Law read_law(const Element& e) {
    Law law;
    const auto first = [&](const char* name, double usual) {
      const auto list = values_.numbers(e, name, 1, 10);
      return list ? list->front() : usual;
    };
    if (e.name == "position") {
      law.gain = values_.number(e, "kp", 1.0);
      law.bias = {0.0, -law.gain, -values_.number(e, "kv", 0.0)};
    } else if (e.name == "velocity") {
      law.gain = values_.number(e, "kv", 1.0);
      law.bias = {0.0, 0.0, -law.gain};
    } else if (e.name == "general") {
      const std::string bias = XmlValues::text(e, "biastype"), gain = XmlValues::text(e, "gaintype");
      law.gain = first("gainprm", 1.0);
      law.is_plain = (gain.empty() || gain == "fixed") && (bias.empty() || bias == "none" || bias == "affine");
      if (bias == "affine") {
        const auto list = values_.numbers(e, "biasprm", 1, 10).value_or(std::vector<double>{0.0});
        for (std::size_t i = 0; i < 3 && i < list.size(); ++i) law.bias[i] = list[i];
      }
    } else {
      law.is_plain = e.name == "motor";
    }
    const std::string dynamics = XmlValues::text(e, "dyntype");
    law.is_plain = law.is_plain && (dynamics.empty() || dynamics == "none");
    return law;
  }

  void add_actuator(const Element& element, std::size_t index) {
    // In MuJoCo, all actuators share one set of defaults.
    Element e = source_.resolved(element, element.name, "");
    e = source_.resolved(e, "general", "");
    e.name = element.name;
    const Law law = read_law(e);
    const std::string subject = subject_of(element);
    if (!law.is_plain) return source_.lose(subject + ": an actuator with activation dynamics");
    const std::string joint = XmlValues::text(e, "joint"), site = XmlValues::text(e, "site");
    if (const auto known = names_.joints.find(joint); known != names_.joints.end()) {
      add_drive(e, law, known->second, index);
    } else if (const auto place = names_.sites.find(site);
               place != names_.sites.end() && XmlValues::text(e, "refsite").empty()) {
      add_thruster(e, law, place->second, index);
    } else {
      source_.lose(subject + ": an actuator that is not on a hinge, a slide or a site");
    }
  }

  std::optional<std::array<double, 2>> read_range(const Element& e, const std::string& kind) {
    const auto range = values_.numbers(e, kind + "range", 2, 2);
    const std::string limited = XmlValues::text(e, kind + "limited");
    const bool is_automatic = limited.empty() || limited == "auto";
    const bool is_limited = is_automatic ? source_.compiler().has_automatic_limits && range : limited == "true";
    if (!is_limited || !range) return std::nullopt;
    return std::array{(*range)[0], (*range)[1]};
  }

  /// Maximum effort in either direction, if limited.
  std::optional<double> effort_of(const std::array<double, 2>& range, double factor,
                                  const std::string& subject) {
    const double low = range[0] * factor, high = range[1] * factor;
    if (std::abs(low + high) > 1e-9 * std::abs(high - low))
      source_.lose(subject + ": its range is not symmetric; the larger limit is used in both directions");
    return std::max(std::abs(low), std::abs(high));
  }

  void add_drive(const Element& e, const Law& law, const MjcfNames::Part& joint, std::size_t index) {
    const std::string subject = subject_of(e);
    const double gear = values_.numbers(e, "gear", 1, 6).value_or(std::vector<double>{1.0}).front();
    const auto force_range = read_range(e, "force"), control_range = read_range(e, "ctrl");
    const double start =
        control_range ? std::clamp(start_of(index), (*control_range)[0], (*control_range)[1]) : start_of(index);
    std::optional<double> effort;
    if (force_range) effort = effort_of(*force_range, gear, subject);
    Robot& robot = scenario_.robots[joint.robot];
    const std::string name = name_for(e, joint.robot);
    const auto& [b0, b1, b2] = law.bias;
    Element device;
    if (b0 == 0.0 && b1 == 0.0 && b2 == 0.0) {
      if (!effort && control_range) effort = effort_of(*control_range, gear * law.gain, subject);
      device = make_device(
          name, TorqueActuatorConfig{
                    .joint = joint.name, .limit = effort, .initial = unsigned_zero(start * gear * law.gain)});
      if (gear * law.gain != 1.0)
        source_.lose(
            fmt::format("gear of {}: the command is the torque or force at the joint, {} times that of MuJoCo",
                        subject, format_number(gear * law.gain)));
    } else if (b0 == 0.0 && b1 == -law.gain && law.gain > 0.0) {
      // Length is gear times position, and joint force is gear times force: the stiffness scales with gear
      // squared.
      device = make_device(name, PositionServoConfig{.joint = joint.name,
                                                     .stiffness = law.gain * gear * gear,
                                                     .damping = -b2 * gear * gear,
                                                     .max_effort = effort,
                                                     .initial = start / gear});
      if (control_range) source_.lose(subject + ": ctrlrange; targets are not clamped");
    } else if (b0 == 0.0 && b1 == 0.0 && b2 == -law.gain && law.gain > 0.0) {
      device = make_device(name, SpeedServoConfig{.joint = joint.name,
                                                  .gain = law.gain * gear * gear,
                                                  .max_effort = effort,
                                                  .initial = unsigned_zero(start / gear)});
      if (control_range) source_.lose(subject + ": ctrlrange; targets are not clamped");
    } else {
      return source_.lose(subject + ": its bias is not that of a torque, position or speed actuator");
    }
    robot.devices.actuators.push_back(std::move(device));
  }

  void add_thruster(const Element& e, const Law& law, const MjcfNames::Part& site, std::size_t index) {
    const std::string subject = subject_of(e);
    auto gear = values_.numbers(e, "gear", 1, 6).value_or(std::vector<double>{1.0});
    gear.resize(6, 0.0);
    const Vec3 force(gear[0], gear[1], gear[2]), torque(gear[3], gear[4], gear[5]);
    const bool pushes = !force.isZero(), turns = !torque.isZero();
    if (pushes == turns || law.bias != std::array{0.0, 0.0, 0.0})
      return source_.lose(subject + ": both force and torque, or a bias");
    const Vec3 axis = pushes ? force : torque;
    const double factor = axis.norm() * law.gain;
    ThrusterConfig thruster{.site = site.name, .axis = axis.normalized()};
    const auto range = read_range(e, "ctrl");
    if (range) (pushes ? thruster.max_force : thruster.max_torque) = effort_of(*range, factor, subject);
    (pushes ? thruster.force : thruster.torque) = unsigned_zero(start_of(index) * factor);
    if (factor != 1.0)
      source_.lose(fmt::format("gear of {}: the command is the force or torque itself, {} times that of MuJoCo",
                               subject, format_number(factor)));
    scenario_.robots[site.robot].devices.actuators.push_back(make_device(name_for(e, site.robot), thruster));
  }

  void add_sensor(const Element& e) {
    const std::string type = e.name;
    const auto find = [](const auto& map, const std::string& name) -> const MjcfNames::Part* {
      const auto known = map.find(name);
      return known == map.end() ? nullptr : &known->second;
    };
    if (type == "jointpos" || type == "jointvel") {
      if (const auto* joint = find(names_.joints, XmlValues::text(e, "joint")))
        return add(e, *joint, JointSensorConfig{.joint = joint->name});
    } else if (type == "gyro" || type == "accelerometer" || type == "velocimeter") {
      if (const auto* site = find(names_.sites, XmlValues::text(e, "site"))) {
        const MountConfig mount{.site = site->name};
        if (type == "gyro") return add(e, *site, GyroConfig{mount});
        if (type == "accelerometer") return add(e, *site, AccelerometerConfig{mount});
        return add(e, *site, VelocitySensorConfig{.mount = mount});
      }
    } else if (type == "framepos" || type == "framequat") {
      const std::string object = XmlValues::text(e, "objtype"), name = XmlValues::text(e, "objname");
      if (const auto* site = object == "site" ? find(names_.sites, name) : nullptr)
        return add(e, *site, PoseSensorConfig{{.site = site->name}});
      if (const auto* body = object == "xbody" ? find(names_.bodies, name) : nullptr)
        return add(e, *body, PoseSensorConfig{{.body = body->name}});
    }
    source_.lose(subject_of(e) + " of <sensor>");
  }

  template <typename Config>
  void add(const Element& e, const MjcfNames::Part& part, const Config& config) {
    scenario_.robots[part.robot].devices.sensors.push_back(make_device(name_for(e, part.robot), config));
    for (const char* name : {"noise", "cutoff"}) {
      if (values_.number(e, name, 0.0) > 0.0) source_.lose(std::string(name) + " of <sensor> elements");
    }
  }

  MjcfSource& source_;
  XmlValues& values_;
  const MjcfNames& names_;
  const std::vector<double>& control_;
  Scenario& scenario_;
  std::vector<Names> taken_;
};

}  // namespace

void add_mjcf_devices(MjcfSource& source, const MjcfNames& names, const std::vector<double>& control,
                      Scenario& scenario) {
  DeviceImporter(source, names, control, scenario).run();
}

}  // namespace lockstep
