#include <algorithm>
#include <map>
#include <set>

#include "formats/common/devices.h"
#include "formats/common/link_mass.h"
#include "formats/common/mesh_collector.h"
#include "formats/sdf/sdf.h"
#include "geometry/mass.h"
#include "geometry/tessellate.h"
#include "scenario/write.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Mass of the link between the two axes of a universal joint, kg.
constexpr double kMassBetweenAxes = 1e-9;
/// Maximum deviation of the mesh of an ellipsoid, for a sphere of radius 1.
constexpr double kEllipsoidDeviation = 0.005;
/// Two surfaces each get a pair; more would fill the scenario.
constexpr std::size_t kMaxSurfaces = 40;

/// A material for each distinct surface, and a pair for each two of them: the friction of two bodies in Gazebo is the
/// smaller one.
class SdfSurfaces {
 public:
  explicit SdfSurfaces(Scenario& scenario) : scenario_(scenario) {}

  std::string find(const SdfShape& shape) {
    for (const Material& known : scenario_.materials) {
      if (known.friction == shape.friction && known.restitution == shape.restitution) return known.name;
    }
    if (scenario_.materials.size() >= kMaxSurfaces) {
      has_too_many_ = true;
      return scenario_.materials.back().name;
    }
    Material& made = scenario_.materials.emplace_back();
    made.name = fmt::format("surface{}", scenario_.materials.size());
    made.friction = shape.friction;
    made.restitution = shape.restitution;
    return made.name;
  }

  void add_pairs(FormatReport& report) {
    for (std::size_t i = 0; i < scenario_.materials.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Material &a = scenario_.materials[i], &b = scenario_.materials[j];
        if (a.friction == b.friction) continue;
        ContactPair& pair = scenario_.contacts.emplace_back();
        pair.a = a.name;
        pair.b = b.name;
        pair.friction = std::min(a.friction, b.friction);
      }
    }
    if (has_too_many_)
      report.lost.push_back(fmt::format("surfaces beyond the first {} distinct ones", kMaxSurfaces));
  }

 private:
  Scenario& scenario_;
  bool has_too_many_ = false;
};

class SdfImporter {
 public:
  SdfImporter(const SdfWorld& from, const ImportSource& source, FormatReport report)
      : from_(from),
        report_(std::move(report)),
        meshes_(source, report_),
        surfaces_(scenario_),
        source_(source) {}

  Imported run() {
    scenario_.name = made_name(!from_.name.empty() ? from_.name : from_.models.front().name);
    scenario_.description = "Imported from SDF.";
    // As for URDF: joints without damping would gain energy with the default integrator.
    scenario_.engine.integrator = Integrator::kRk4;
    if (from_.gravity) scenario_.gravity = *from_.gravity;
    if (from_.step) scenario_.step = *from_.step;
    for (const SdfModel& model : from_.models) add_model(model);
    surfaces_.add_pairs(report_);
    write_report();
    return {write_scenario_element(scenario_, Defaults::kOmit), std::move(report_), meshes_.take_files()};
  }

 private:
  /// Where a link of the current model is in the scenario.
  struct LinkPlace {
    std::size_t robot = 0;
    std::string name;
  };

  void add_model(const SdfModel& model) {
    model_ = &model;
    links_.clear();
    above_.clear();
    below_.clear();
    closing_.clear();
    places_.clear();
    joint_of_.clear();
    for (const SdfLink& link : model.links) links_[link.name] = &link;
    for (const SdfJoint& joint : model.joints) index_joint(joint);
    const std::size_t first_robot = scenario_.robots.size();
    for (const SdfLink& link : model.links) {
      const auto above = above_.find(link.name);
      const SdfJoint* joint = above == above_.end() ? nullptr : above->second;
      if (joint == nullptr || joint->parent.empty()) add_tree(link, joint);
    }
    for (const SdfJoint* joint : closing_) add_loop(*joint);
    for (std::size_t i = first_robot; i < scenario_.robots.size(); ++i) add_couplings(scenario_.robots[i]);
    if (scenario_.robots.size() > first_robot + 1)
      report_.assumed.push_back(fmt::format(
          "model '{}' has {} links that no joint connects to the others: each is the root of a robot",
          model.name, scenario_.robots.size() - first_robot));
  }

  /// Each link has at most one joint above it in the tree; other joints close loops.
  void index_joint(const SdfJoint& joint) {
    bool closes = above_.contains(joint.child);
    for (std::string link = joint.parent; !closes && !link.empty();) {
      closes = link == joint.child;
      const auto next = above_.find(link);
      link = next == above_.end() ? std::string() : next->second->parent;
    }
    if (closes) {
      closing_.push_back(&joint);
      return;
    }
    above_[joint.child] = &joint;
    if (!joint.parent.empty()) below_[joint.parent].push_back(&joint);
  }

  void add_tree(const SdfLink& root, const SdfJoint* joint) {
    const bool is_in_loop = std::any_of(closing_.begin(), closing_.end(), [&](const SdfJoint* each) {
      return each->parent == root.name || each->child == root.name;
    });
    const bool is_held = model_->is_static || (joint != nullptr && joint->type == SdfJointType::kFixed);
    const bool is_alone = below_[root.name].empty() && root.sensors.empty() && !is_in_loop &&
                          (joint == nullptr || (joint->type == SdfJointType::kFixed && joint->sensors.empty()));
    const bool has_frames = std::any_of(model_->frames.begin(), model_->frames.end(),
                                        [&](const SdfFrame& each) { return each.link == root.name; });
    if (is_alone && !has_frames) return add_object(root, is_held);
    Robot& robot = scenario_.robots.emplace_back();
    robot.place = model_->place;
    robot.name = top_names_.make(model_->name);
    robot.pose = model_->pose;
    robot.self_collide = model_->self_collide;
    link_names_ = joint_names_ = device_names_ = site_names_ = {};
    std::vector<std::pair<const SdfLink*, const SdfJoint*>> open = {{&root, joint}};
    while (!open.empty()) {
      const auto [link, above] = open.back();
      open.pop_back();
      add_link(robot, *link, above, is_held && link == &root);
      const auto& joints = below_[link->name];
      for (auto each = joints.rbegin(); each != joints.rend(); ++each)
        open.emplace_back(links_.at((*each)->child), *each);
    }
  }

  void add_object(const SdfLink& from, bool is_held) {
    Object object;
    object.place = from.place;
    object.is_static = is_held;
    object.pose = model_->pose * from.pose;
    for (const SdfShape& shape : from.collisions) {
      if (shape.plane) add_ground(shape, object.pose, is_held);
    }
    add_shapes(from, object.shapes);
    if (object.shapes.empty()) {
      const bool is_ground = !from.collisions.empty() && from.collisions[0].plane;
      if (!is_ground)
        report_.lost.push_back(
            fmt::format("link '{}' of '{}': it has no shape and no joint", from.name, model_->name));
      return;
    }
    const bool is_only = model_->links.size() == 1;
    object.name = top_names_.make(is_only ? model_->name : model_->name + "_" + from.name);
    if (!is_held) give_mass(from, object.inertial, object.shapes);
    scenario_.objects.push_back(std::move(object));
  }

  void add_ground(const SdfShape& shape, const Pose& X_WB, bool is_held) {
    const Pose X_WS = X_WB * shape.pose;
    constexpr double kLevel = 1e-9;
    if (!is_held || (X_WS.q * shape.plane->normalized() - Vec3::UnitZ()).norm() > kLevel) {
      report_.lost.push_back(
          fmt::format("{}: only level planes that do not move become a <ground>", to_string(shape.place)));
      return;
    }
    Ground& ground = scenario_.grounds.emplace_back();
    ground.place = shape.place;
    ground.name = top_names_.make(model_->name);
    ground.height = X_WS.p.z();
    ground.material = surfaces_.find(shape);
  }

  void add_link(Robot& robot, const SdfLink& from, const SdfJoint* joint, bool is_held) {
    std::string parent;
    Pose pose = from.pose;
    if (joint != nullptr && !joint->parent.empty()) {
      parent = places_.at(joint->parent).name;
      pose = links_.at(joint->parent)->pose.inverse() * from.pose;
    }
    if (joint != nullptr && joint->type == SdfJointType::kUniversal)
      parent = add_first_axis(robot, *joint, parent, pose);
    Link link;
    link.place = from.place;
    link.name = link_names_.make(from.name);
    link.parent = parent;
    link.pose = pose;
    places_[from.name] = {scenario_.robots.size() - 1, link.name};
    for (const SdfShape& shape : from.collisions) {
      if (shape.plane) add_ground(shape, model_->pose * from.pose, is_held);
    }
    add_shapes(from, link.shapes);
    const bool is_joined = joint != nullptr && joint->type != SdfJointType::kFixed;
    if (is_joined) {
      link.joint = make_joint(*joint, joint->type == SdfJointType::kUniversal ? 1 : 0);
      add_drive(robot, *link.joint, joint->axes.empty() ? nullptr : &joint->axes.back());
    } else if (parent.empty() && !is_held) {
      link.joint =
          Joint{.place = from.place, .name = joint_names_.make("floating_base"), .type = JointType::kFree};
    }
    if (is_held) {
      for (Shape& shape : link.shapes) shape.mass = 0.0;
    } else {
      give_mass(from, link.inertial, link.shapes);
    }
    for (const SdfFrame& frame : model_->frames) {
      if (frame.link == from.name) add_site(link, frame.name, frame.pose, frame.place);
    }
    for (const SdfSensor& sensor : from.sensors) add_sensor(robot, link, sensor);
    if (joint != nullptr) {
      for (const SdfSensor& sensor : joint->sensors) add_joint_sensor(robot, link, sensor);
    }
    robot.links.push_back(std::move(link));
  }

  std::string add_site(Link& link, const std::string& name, const Pose& pose, const Place& place) {
    link.sites.push_back({.place = place, .name = site_names_.make(name), .pose = pose});
    return link.sites.back().name;
  }

  /// The link that turns about the first axis of a universal joint; the second axis is that of the child.
  std::string add_first_axis(Robot& robot, const SdfJoint& from, const std::string& parent, Pose& pose) {
    Link& link = robot.links.emplace_back();
    link.place = from.place;
    link.name = link_names_.make(from.name + "_axis");
    link.parent = parent;
    link.pose = std::exchange(pose, Pose{});
    link.inertial = to_inertial(make_grain(kMassBetweenAxes));
    link.joint = make_joint(from, 0);
    add_drive(robot, *link.joint, &from.axes[0]);
    report_.assumed.push_back(
        fmt::format("universal joint '{}' becomes two hinges with a small link between them", from.name));
    return link.name;
  }

  Joint make_joint(const SdfJoint& from, std::size_t axis_index) {
    Joint joint;
    joint.place = from.place;
    joint.name = joint_names_.make(axis_index == 0 ? from.name : from.name + "_2");
    joint.position = from.pose.p;
    joint.armature = from.armature;
    if (from.type == SdfJointType::kBall) {
      joint.type = JointType::kBall;
      return joint;
    }
    const SdfAxis& axis = from.axes[axis_index];
    joint.type = from.type == SdfJointType::kPrismatic ? JointType::kSlide : JointType::kHinge;
    joint.axis = axis.direction;
    joint.lower = axis.lower;
    joint.upper = axis.upper;
    joint.damping = axis.damping;
    joint.friction = axis.friction;
    joint.stiffness = axis.stiffness;
    joint.rest = axis.rest;
    joint_of_.emplace(from.name, joint.name);
    if (joint.lower && (*joint.lower > 0.0 || *joint.upper < 0.0) && !axis.mimic) {
      joint.initial = *joint.lower > 0.0 ? *joint.lower : *joint.upper;
      report_.assumed.push_back(
          fmt::format("joint '{}' starts at {:.6g}: its limits exclude zero", from.name, joint.initial));
    }
    return joint;
  }

  void add_drive(Robot& robot, const Joint& joint, const SdfAxis* axis) {
    if (axis == nullptr) return;
    const std::string name = device_names_.make(joint.name);
    robot.devices.sensors.push_back(make_device(name, JointSensorConfig{.joint = joint.name}));
    if (axis->mimic) return;
    TorqueActuatorConfig drive{.joint = joint.name};
    if (axis->effort) drive.limit = axis->effort;
    robot.devices.actuators.push_back(make_device(device_names_.make(name + "_drive"), drive));
  }

  void add_shapes(const SdfLink& from, std::vector<Shape>& shapes) {
    shape_names_ = {};
    for (const SdfShape& shape : from.visuals) add_shape(from, shape, false, shapes);
    for (const SdfShape& shape : from.collisions) add_shape(from, shape, true, shapes);
  }

  void add_shape(const SdfLink& owner, const SdfShape& from, bool collides, std::vector<Shape>& shapes) {
    if (from.plane) return;
    Shape shape;
    shape.place = from.place;
    shape.name = from.name.empty() ? "" : shape_names_.make(from.name);
    shape.geometry = from.geometry;
    shape.pose = from.pose;
    shape.color = from.color;
    shape.collide = collides;
    shape.visible = !collides || owner.visuals.empty();
    if (collides) shape.material = surfaces_.find(from);
    if (owner.has_mass_of_shapes && collides) {
      shape.density = from.density.value_or(source_.options.density);
    } else {
      shape.mass = 0.0;
    }
    if (!from.mesh.empty()) {
      const MeshCollector::Item* item = meshes_.find(from.mesh, from.place, "link '" + owner.name + "'");
      if (item == nullptr) return;
      std::get<MeshFile>(shape.geometry).src = item->src;
      if (!collides) return MeshCollector::add_visible(*item, shape, shapes);
    } else if (from.radii) {
      const MeshCollector::Item* ball =
          meshes_.add("unit-ball.stl", tessellated(Sphere{1.0}, kEllipsoidDeviation));
      shape.geometry = MeshFile{.src = ball->src, .scale = *from.radii};
    }
    shapes.push_back(std::move(shape));
  }

  /// The mass in the file, corrected if it is impossible; for a link without <inertial>, the defaults of the format.
  void give_mass(const SdfLink& from, std::optional<Inertial>& inertial, std::vector<Shape>& shapes) {
    if (from.has_mass_of_shapes) {
      const bool has_shapes = std::any_of(shapes.begin(), shapes.end(),
                                          [](const Shape& shape) { return shape.density.has_value(); });
      if (has_shapes) return;
    }
    MassProperties mass = from.mass.value_or(MassProperties{1.0, Vec3::Zero(), Mat3::Identity()});
    if (!from.mass)
      report_.assumed.push_back(fmt::format(
          "link '{}' of '{}' has no mass: 1 kg and 1 kg m^2, the defaults of SDF", from.name, model_->name));
    const std::string defect = find_mass_defect(mass);
    if (!defect.empty()) {
      const auto fixed = repaired(mass);
      report_.suspicious.push_back(
          fmt::format("{}: link '{}': {}; {}", to_string(from.place), from.name, defect,
                      fixed ? "all moments are increased until they are possible" : "a small ball is used"));
      mass = fixed.value_or(make_grain(mass.mass));
    }
    inertial = to_inertial(mass);
    for (Shape& shape : shapes) shape.density.reset();
  }

  void add_sensor(Robot& robot, Link& link, const SdfSensor& sensor) {
    auto& sensors = robot.devices.sensors;
    const bool is_ray = sensor.type == "ray" || sensor.type == "gpu_ray" || sensor.type == "lidar" ||
                        sensor.type == "gpu_lidar";
    if (sensor.type == "imu") {
      const MountConfig mount{.site = add_site(link, sensor.name, sensor.pose, sensor.place), .body = {}};
      sensors.push_back(
          make_device(device_names_.make(sensor.name + "_accelerometer"), AccelerometerConfig{.mount = mount}));
      sensors.push_back(make_device(device_names_.make(sensor.name + "_gyro"), GyroConfig{.mount = mount}));
    } else if (sensor.type == "contact") {
      sensors.push_back(
          make_device(device_names_.make(sensor.name), TouchSensorConfig{.body = link.name, .shape = {}}));
    } else if (is_ray && sensor.rays == 1.0 && sensor.range > 0.0 && sensor.minimum >= 0.0 &&
               sensor.minimum <= sensor.range) {
      const std::string site = add_site(link, sensor.name, sensor.pose, sensor.place);
      sensors.push_back(
          make_device(device_names_.make(sensor.name), DistanceSensorConfig{.mount = {.site = site, .body = {}},
                                                                            .range = sensor.range,
                                                                            .minimum = sensor.minimum,
                                                                            .nothing = {}}));
    } else {
      report_.lost.push_back(
          fmt::format("sensor '{}' of link '{}': {}", sensor.name, link.name,
                      is_ray ? fmt::format("it scans with {} rays; a <distance> has one", sensor.rays)
                             : fmt::format("there is no sensor like '{}'", xml::shown(sensor.type))));
      return;
    }
    ++sensor_count_;
  }

  void add_joint_sensor(Robot& robot, const Link& link, const SdfSensor& sensor) {
    if (sensor.type != "force_torque" || !link.joint) {
      report_.lost.push_back(
          fmt::format("sensor '{}' of a joint: {}", sensor.name,
                      sensor.type == "force_torque"
                          ? "the joint is fixed, and its links are one body"
                          : fmt::format("there is no sensor like '{}'", xml::shown(sensor.type))));
      return;
    }
    robot.devices.sensors.push_back(
        make_device(device_names_.make(sensor.name), ForceSensorConfig{.joint = link.joint->name}));
    ++sensor_count_;
  }

  /// A joint to a link that has another joint above it.
  void add_loop(const SdfJoint& from) {
    const bool is_hinge = from.type == SdfJointType::kRevolute;
    const bool is_known = is_hinge || from.type == SdfJointType::kBall || from.type == SdfJointType::kFixed;
    if (!is_known || from.parent.empty()) {
      report_.lost.push_back(
          fmt::format("joint '{}': it closes a loop {}", from.name,
                      from.parent.empty() ? "with the world" : "and slides or has two axes"));
      return;
    }
    Pose X_CJ = from.pose;
    if (is_hinge) X_CJ.q = rotation_between(Vec3::UnitZ(), from.axes[0].direction);
    const Pose X_PC = links_.at(from.parent)->pose.inverse() * links_.at(from.child)->pose;
    const LinkPlace parent = places_.at(from.parent), child = places_.at(from.child);
    Loop loop;
    loop.place = from.place;
    loop.name = top_names_.make(from.name);
    loop.type = is_hinge                           ? LoopType::kHinge
                : from.type == SdfJointType::kBall ? LoopType::kPoint
                                                   : LoopType::kWeld;
    loop.a = add_loop_site(parent, from.name + "_a", X_PC * X_CJ);
    loop.b = add_loop_site(child, from.name + "_b", X_CJ);
    if (parent.robot == child.robot) {
      scenario_.robots[parent.robot].loops.push_back(std::move(loop));
    } else {
      loop.a = scenario_.robots[parent.robot].name + "/" + loop.a;
      loop.b = scenario_.robots[child.robot].name + "/" + loop.b;
      scenario_.loops.push_back(std::move(loop));
    }
    ++loop_count_;
    if (is_hinge && (from.axes[0].lower || from.axes[0].damping != 0.0 || from.axes[0].friction != 0.0))
      report_.lost.push_back(fmt::format("joint '{}' closes a loop: its limits and losses", from.name));
  }

  std::string add_loop_site(const LinkPlace& place, const std::string& name, const Pose& pose) {
    for (Link& link : scenario_.robots[place.robot].links) {
      if (link.name == place.name) return add_site(link, name, pose, link.place);
    }
    return {};
  }

  void add_couplings(Robot& robot) {
    for (const SdfJoint& joint : model_->joints) {
      if (joint.axes.empty() || !joint.axes[0].mimic) continue;
      const SdfMimic& mimic = joint.axes[0].mimic.value();
      const auto own = joint_of_.find(joint.name), leader = joint_of_.find(mimic.joint);
      const auto is_here = [&](const std::string& name) {
        return std::any_of(robot.links.begin(), robot.links.end(),
                           [&](const Link& link) { return link.joint && link.joint->name == name; });
      };
      if (own == joint_of_.end() || !is_here(own->second)) continue;
      const bool leads = leader != joint_of_.end() && is_here(leader->second) &&
                         leader->second != own->second &&
                         std::none_of(model_->joints.begin(), model_->joints.end(), [&](const SdfJoint& each) {
                           return each.name == mimic.joint && !each.axes.empty() && each.axes[0].mimic;
                         });
      if (!leads) {
        throw_user_error(joint.place, "joint '{}' mimics '{}', which is not a joint of one axis that leads",
                         joint.name, xml::shown(mimic.joint));
      }
      Coupling& coupling = robot.couplings.emplace_back();
      coupling.place = joint.place;
      coupling.name = coupling.joint = own->second;
      coupling.follows = leader->second;
      coupling.ratio = mimic.multiplier;
      coupling.offset = mimic.offset - mimic.multiplier * mimic.reference;
      place_follower(robot, coupling);
    }
  }

  /// The initial position of a coupled joint follows from its leader; its limits must allow it.
  void place_follower(Robot& robot, const Coupling& coupling) {
    const auto find = [&](const std::string& name) -> Joint& {
      return *std::find_if(robot.links.begin(), robot.links.end(), [&](const Link& link) {
                return link.joint && link.joint->name == name;
              })->joint;
    };
    Joint& joint = find(coupling.joint);
    const double start = coupling.ratio * find(coupling.follows).initial + coupling.offset;
    if (!joint.lower || (*joint.lower <= 0.0 && *joint.upper >= 0.0)) return;
    if (start >= *joint.lower && start <= *joint.upper) {
      joint.initial = start;
      return;
    }
    report_.suspicious.push_back(fmt::format(
        "joint '{}' starts at {:.6g}, beyond its limits, because it follows '{}'; its limits are removed",
        coupling.joint, start, coupling.follows));
    joint.lower.reset();
    joint.upper.reset();
  }

  void write_report() {
    std::size_t links = 0, joints = 0;
    for (const Robot& robot : scenario_.robots) {
      links += robot.links.size();
      for (const Link& link : robot.links) joints += link.joint && link.joint->type != JointType::kFree ? 1 : 0;
    }
    report_.read.push_back(
        fmt::format("{} models: {} robots with {} links and {} joints that move, {} objects, {} grounds",
                    from_.models.size(), scenario_.robots.size(), links, joints, scenario_.objects.size(),
                    scenario_.grounds.size()));
    if (loop_count_ > 0)
      report_.read.push_back(fmt::format("{} joints that close a loop, as <loop>", loop_count_));
    if (sensor_count_ > 0) report_.read.push_back(fmt::format("{} sensors", sensor_count_));
    report_.assumed.push_back("the integrator is rk4, which keeps the energy of joints without damping");
    if (joints > 0) report_.assumed.push_back("each joint has a sensor, and an actuator for torque or force");
  }

  const SdfWorld& from_;
  FormatReport report_;
  MeshCollector meshes_;
  Scenario scenario_;
  SdfSurfaces surfaces_;
  const ImportSource& source_;
  Names top_names_, link_names_, joint_names_, device_names_, site_names_, shape_names_;
  // Of the current model, by names of the file.
  const SdfModel* model_ = nullptr;
  std::map<std::string, const SdfLink*> links_;
  std::map<std::string, const SdfJoint*> above_;               // the joint above a link in the tree
  std::map<std::string, std::vector<const SdfJoint*>> below_;  // the joints below a link
  std::vector<const SdfJoint*> closing_;                       // joints that close loops
  std::map<std::string, LinkPlace> places_;
  std::map<std::string, std::string> joint_of_;
  std::size_t loop_count_ = 0, sensor_count_ = 0;
};

}  // namespace

Imported import_sdf(const ImportSource& source) {
  FormatReport report;
  const SdfWorld world = read_sdf(source, report);
  return SdfImporter(world, source, std::move(report)).run();
}

}  // namespace lockstep
