#include "formats/common/devices.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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
    if (source_.is_disabled("actuation")) {
      for (const Element* element : source_.section("actuator"))
        source_.lose(subject_of(*element) + " of <actuator>: flags disable actuation");
    } else {
      for (const Element* element : source_.section("actuator")) add_actuator(*element, index++);
    }
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
      law.gain = values_.number(e, "kp", first("gainprm", 1.0));
      law.bias = {0.0, -law.gain, -values_.number(e, "kv", 0.0)};
    } else if (e.name == "velocity") {
      law.gain = values_.number(e, "kv", first("gainprm", 1.0));
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

  /// With the defaults of its class. In MuJoCo, all kinds of actuators share one set of defaults.
  Element with_defaults(const Element& element) {
    Element e = source_.resolved(element, element.name, "");
    e = source_.resolved(e, "general", "");
    e.name = element.name;
    Element bare = element;
    std::erase_if(bare.attributes, [](const Attribute& attribute) { return attribute.name != "class"; });
    for (const char* kind : {"motor", "position", "velocity"}) {
      const Element others = source_.resolved(bare, kind, "");
      for (const char* shared : {"gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited"}) {
        const Attribute* other = others.find_attribute(shared);
        if (other != nullptr && e.find_attribute(shared) == nullptr) e.attributes.push_back(*other);
      }
    }
    return e;
  }

  void add_actuator(const Element& element, std::size_t index) {
    const Element e = with_defaults(element);
    const Law law = read_law(e);
    const std::string subject = subject_of(element);
    if (!law.is_plain) return source_.differ(e.place, subject + ": an actuator with activation dynamics");
    const auto find = [&](const auto& map, const char* attribute) -> const MjcfNames::Part* {
      const auto known = map.find(XmlValues::text(e, attribute));
      return known == map.end() ? nullptr : &known->second;
    };
    if (const auto* joint = find(names_.joints, "joint")) {
      add_drive(e, law, {.robot = joint->robot, .joint = joint->name}, index);
    } else if (const auto* tendon = find(names_.tendons, "tendon")) {
      add_drive(e, law, {.robot = tendon->robot, .tendon = tendon->name}, index);
    } else if (const auto* site = find(names_.sites, "site"); site && XmlValues::text(e, "refsite").empty()) {
      add_thruster(e, law, *site, index);
    } else {
      source_.differ(e.place,
                     subject + ": an actuator that is not on a hinge, a slide, a fixed tendon or a site");
    }
  }

  std::optional<std::array<double, 2>> read_range(const Element& e, const std::string& kind) {
    const auto range = values_.numbers(e, kind + "range", 2, 2);
    if (!range || !source_.is_limited(e, kind + "limited", true)) return std::nullopt;
    return std::array{(*range)[0], (*range)[1]};
  }

  /// Maximum effort in either direction, if limited.
  std::optional<double> effort_of(const std::array<double, 2>& range, double factor, const Place& place,
                                  const std::string& subject) {
    const double low = range[0] * factor, high = range[1] * factor;
    if (std::abs(low + high) > 1e-9 * std::abs(high - low))
      source_.differ(place,
                     subject + ": its range is not symmetric; the larger limit is used in both directions");
    return std::max(std::abs(low), std::abs(high));
  }

  /// What an actuator drives: a joint or a tendon of a robot.
  struct Driven {
    std::size_t robot = 0;
    std::string joint{}, tendon{};
  };

  void report_factor(const std::string& subject, const char* what, double factor) {
    if (factor != 1.0)
      source_.lose(fmt::format("gear of {}: the command is the {}, {} times that of MuJoCo", subject, what,
                               format_number(factor)));
  }

  void add_drive(const Element& e, const Law& law, const Driven& on, std::size_t index) {
    const std::string subject = subject_of(e);
    const double gear = values_.numbers(e, "gear", 1, 6).value_or(std::vector<double>{1.0}).front();
    const auto [b0, b1, b2] = law.bias;
    if (gear == 0.0) return source_.differ(e.place, subject + ": its gear is zero");
    if (b1 > 0.0 || b2 > 0.0)
      return source_.differ(e.place,
                            subject + ": its bias is not that of a torque, position or speed actuator");
    const auto force_range = read_range(e, "force"), control_range = read_range(e, "ctrl");
    const double control =
        control_range ? std::clamp(start_of(index), (*control_range)[0], (*control_range)[1]) : start_of(index);
    std::optional<double> effort;
    if (force_range) effort = effort_of(*force_range, gear, e.place, subject);
    // Length is gear times position, and joint force is gear times force: stiffness and damping scale with gear
    // squared. The command of a servo is the position or speed at which it is at rest.
    const double divisor = b1 != 0.0 ? -b1 * gear : b2 != 0.0 ? -b2 * gear : 1.0 / gear;
    const auto command_of = [&](double value) { return unsigned_zero((law.gain * value + b0) / divisor); };
    const double factor = law.gain / divisor;
    std::optional<double> lower, upper;
    if (control_range) {
      const double first = command_of((*control_range)[0]), second = command_of((*control_range)[1]);
      lower = std::min(first, second);
      upper = std::max(first, second);
    }
    const bool is_symmetric = lower && std::abs(*lower + *upper) <= 1e-9 * (*upper - *lower);
    const std::string name = name_for(e, on.robot);
    Element device;
    if (b1 != 0.0) {
      device = make_device(name, PositionServoConfig{.joint = on.joint,
                                                     .tendon = on.tendon,
                                                     .stiffness = -b1 * gear * gear,
                                                     .damping = unsigned_zero(-b2 * gear * gear),
                                                     .max_effort = effort,
                                                     .lower = lower,
                                                     .upper = upper,
                                                     .initial = command_of(control)});
      report_factor(subject, "position at the joint", factor);
    } else if (b2 != 0.0) {
      device = make_device(name, SpeedServoConfig{.joint = on.joint,
                                                  .tendon = on.tendon,
                                                  .gain = -b2 * gear * gear,
                                                  .max_effort = effort,
                                                  .max_speed = is_symmetric ? upper : std::nullopt,
                                                  .initial = command_of(control)});
      if (control_range && !is_symmetric)
        source_.differ(e.place, subject + ": ctrlrange; targets are not clamped");
      report_factor(subject, "speed at the joint", factor);
    } else {
      if (lower) {
        if (!is_symmetric)
          source_.differ(e.place,
                         subject + ": its range is not symmetric; the larger limit is used in both directions");
        const double largest = std::max(std::abs(*lower), std::abs(*upper));
        effort = effort ? std::min(*effort, largest) : largest;
      }
      device = make_device(
          name, TorqueActuatorConfig{
                    .joint = on.joint, .tendon = on.tendon, .limit = effort, .initial = command_of(control)});
      report_factor(subject, "torque or force at the joint", factor);
    }
    if (source_.has_stages() && (b1 != 0.0 || b2 != 0.0))
      source_.differ(e.place, subject + ": its force within a step; MuJoCo computes it in each stage of RK4");
    scenario_.robots[on.robot].devices.actuators.push_back(std::move(device));
  }

  void add_thruster(const Element& e, const Law& law, const MjcfNames::Part& site, std::size_t index) {
    const std::string subject = subject_of(e);
    auto gear = values_.numbers(e, "gear", 1, 6).value_or(std::vector<double>{1.0});
    gear.resize(6, 0.0);
    const Vec3 force(gear[0], gear[1], gear[2]), torque(gear[3], gear[4], gear[5]);
    const bool pushes = !force.isZero(), turns = !torque.isZero();
    if (pushes == turns || law.bias != std::array{0.0, 0.0, 0.0})
      return source_.differ(e.place, subject + ": both force and torque, or a bias");
    const Vec3 axis = pushes ? force : torque;
    const double factor = axis.norm() * law.gain;
    ThrusterConfig thruster{.site = site.name, .axis = axis.normalized()};
    const auto range = read_range(e, "ctrl");
    if (range)
      (pushes ? thruster.max_force : thruster.max_torque) = effort_of(*range, factor, e.place, subject);
    (pushes ? thruster.force : thruster.torque) = unsigned_zero(start_of(index) * factor);
    if (factor != 1.0)
      source_.lose(fmt::format("gear of {}: the command is the force or torque itself, {} times that of MuJoCo",
                               subject, format_number(factor)));
    scenario_.robots[site.robot].devices.actuators.push_back(make_device(name_for(e, site.robot), thruster));
  }

  Link& link_of_site(const MjcfNames::Part& site) {
    for (Link& link : scenario_.robots[site.robot].links) {
      for (const Site& each : link.sites) {
        if (each.name == site.name) return link;
      }
    }
    LOCKSTEP_CHECK(false);
    std::abort();
  }

  static Site& site_of(Link& link, const std::string& name) {
    return *std::find_if(link.sites.begin(), link.sites.end(), [&](const Site& s) { return s.name == name; });
  }

  /// <force> and <torque>: what the parent exerts on the link of the site.
  void add_force_sensor(const Element& e, const MjcfNames::Part& site) {
    Link& link = link_of_site(site);
    const Pose pose = site_of(link, site.name).pose;
    if (!link.joint) {
      link.joint = Joint{};
      link.joint->place = e.place;
      link.joint->name = taken_[site.robot].make(link.name + "_mount");
      link.joint->type = JointType::kFixed;
      link.joint->position = pose.p;
    }
    if (link.joint->type == JointType::kFree)
      return source_.lose(subject_of(e) + " of <sensor>: its link has no parent");
    constexpr double kSame = 1e-9;
    if (e.name == "torque" && (link.joint->position - pose.p).norm() > kSame)
      source_.lose(subject_of(e) + ": the torque is about the anchor of the joint, not about the site");
    if (pose.q.angularDistance(Quat::Identity()) > kSame)
      source_.lose(subject_of(e) + ": in the axes of the link, not of the site");
    add(e, site, ForceSensorConfig{.joint = link.joint->name});
  }

  /// <rangefinder>: along z of the site; ours is along x.
  void add_distance_sensor(const Element& e, const MjcfNames::Part& site) {
    Link& link = link_of_site(site);
    const Pose pose = site_of(link, site.name).pose;
    Names sites;
    for (const Link& each : scenario_.robots[site.robot].links) {
      for (const Site& other : each.sites) (void)sites.make(other.name);
    }
    const std::string ray = sites.make(site.name + "_ray");
    const Quat turn(Eigen::AngleAxisd(-std::numbers::pi / 2.0, Vec3::UnitY()));  // x to z
    link.sites.push_back({.place = e.place, .name = ray, .pose = {pose.p, pose.q * turn}});
    constexpr double kFar = 1e6;  // m
    add(e, site, DistanceSensorConfig{.mount = {.site = ray}, .range = kFar, .nothing = -1.0});
    for (const Robot& robot : scenario_.robots) {
      for (const Link& each : robot.links) {
        if (std::any_of(each.shapes.begin(), each.shapes.end(), [](const Shape& s) { return !s.collide; }))
          return source_.lose(subject_of(e) + ": its ray passes through geoms that do not collide");
      }
    }
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
    } else if (const auto* site = find(names_.sites, XmlValues::text(e, "site"))) {
      const MountConfig mount{.site = site->name};
      if (type == "gyro") return add(e, *site, GyroConfig{mount});
      if (type == "accelerometer") return add(e, *site, AccelerometerConfig{mount});
      if (type == "velocimeter") return add(e, *site, VelocitySensorConfig{.mount = mount, .axes = Axes::kOwn});
      if (type == "force" || type == "torque") return add_force_sensor(e, *site);
      if (type == "rangefinder") return add_distance_sensor(e, *site);
      if (type == "touch") {
        const std::vector<Shape>& shapes = link_of_site(*site).shapes;
        if (std::none_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.collide; }))
          return source_.lose(subject_of(e) + " of <sensor>: its link has no shape that collides");
        source_.lose(subject_of(e) + ": it measures all contacts of its link, not only those in the site");
        return add(e, *site, ContactSensorConfig{.a = link_of_site(*site).name});
      }
    } else if (type == "framepos" || type == "framequat" || type == "framelinvel" || type == "frameangvel") {
      const std::string object = XmlValues::text(e, "objtype"), name = XmlValues::text(e, "objname");
      const auto* on_site = object == "site" ? find(names_.sites, name) : nullptr;
      const auto* on_body = object == "xbody" ? find(names_.bodies, name) : nullptr;
      const bool is_relative = !XmlValues::text(e, "reftype").empty();
      if (const auto* part = on_site ? on_site : on_body; part && !is_relative) {
        const MountConfig mount = on_site ? MountConfig{.site = part->name} : MountConfig{.body = part->name};
        if (type == "framepos" || type == "framequat") return add(e, *part, PoseSensorConfig{mount});
        return add(e, *part, VelocitySensorConfig{.mount = mount});
      }
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
