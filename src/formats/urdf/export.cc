#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "base/units.h"
#include "formats/common/robot_export.h"
#include "formats/urdf/urdf.h"
#include "scenario/write.h"

namespace lockstep {

namespace {

/// URDF requires an effort and a velocity for every limit; if unknown, more than any robot has.
constexpr double kUnlimited = 1e6;
/// Mass and inertia of the links between the three hinges that replace a ball joint, kg and kg m^2.
constexpr double kMassBetweenHinges = 1e-9;

class UrdfExporter {
 public:
  UrdfExporter(const ExportSource& source, const Robot& robot)
      : scenario_(source.scenario),
        robot_(robot),
        model_(build_for_export(source)),
        meshes_(model_, source.asset_folder) {}

  Exported run() {
    Element root = make_xml("robot", {{"name", robot_.name}});
    for (const Link& link : robot_.links) (void)link_names_.make(link.name);
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const BodyModel& body = model_.bodies[i];
      if (body.name.starts_with(robot_.name + "/")) add_body(BodyId{static_cast<int>(i)}, root);
    }
    report_losses();
    exported_.files.push_back({"", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + write_element(root)});
    for (ExportedFile& file : meshes_.take_files()) exported_.files.push_back(std::move(file));
    return std::move(exported_);
  }

 private:
  FormatReport& report() { return exported_.report; }

  std::string short_name(const std::string& full) const { return full.substr(robot_.name.size() + 1); }

  /// X_BF: the URDF frame F of a link, whose origin is on the axis of its joint.
  Pose frame_of(const BodyModel& body) const {
    if (!body.joint) return {};
    const JointModel& joint = model_.joint(*body.joint);
    const bool turns = joint.type == JointType::kHinge || joint.type == JointType::kBall;
    return {turns ? joint.position : Vec3(Vec3::Zero()), Quat::Identity()};
  }

  static Element make_origin(const Pose& pose) {
    return make_xml("origin", {{"xyz", numbers_text(pose.p)}, {"rpy", numbers_text(to_rpy(pose.q))}});
  }

  void add_body(BodyId id, Element& root) {
    const BodyModel& body = model_.body(id);
    const Pose X_BF = frame_of(body);
    if (!X_BF.p.isZero()) ++moved_frames_;
    const Pose X_FB = X_BF.inverse();
    Element link = make_xml("link", {{"name", short_name(body.name)}});
    if (body.mass.mass > 0.0) link.children.push_back(make_inertial(body.mass, X_FB));
    if (body.massless) link.children.push_back(make_inertial(mass_between_hinges(), X_FB));
    for (const ShapeModel& shape : model_.shapes) {
      if (shape.body == id) add_shape(shape, X_FB, link);
    }
    root.children.push_back(std::move(link));
    add_joint_above(body, X_BF, root);
    for (const SiteModel& site : model_.sites) {
      if (site.body == id) add_site(site, body, X_FB, root);
    }
  }

  static MassProperties mass_between_hinges() {
    return {kMassBetweenHinges, Vec3::Zero(), kMassBetweenHinges * Mat3::Identity()};
  }

  static Element make_inertial(const MassProperties& mass, const Pose& X_FB) {
    const Mat3& I = mass.inertia;
    Element inertial = make_xml("inertial", {});
    inertial.children = {
        make_origin({X_FB * mass.center, Quat::Identity()}),
        make_xml("mass", {{"value", format_number(mass.mass)}}),
        make_xml("inertia", {{"ixx", format_number(I(0, 0))},
                             {"ixy", format_number(I(0, 1))},
                             {"ixz", format_number(I(0, 2))},
                             {"iyy", format_number(I(1, 1))},
                             {"iyz", format_number(I(1, 2))},
                             {"izz", format_number(I(2, 2))}}),
    };
    return inertial;
  }

  void add_shape(const ShapeModel& shape, const Pose& X_FB, Element& link) {
    Element form = std::visit(
        Overloaded{
            [](const Box& box) {
              return make_xml("box", {{"size", numbers_text(box.size)}});
            },
            [](const Sphere& sphere) {
              return make_xml("sphere", {{"radius", format_number(sphere.radius)}});
            },
            [&](const Capsule& c) {
              has_capsules_ = true;
              return make_xml("capsule",
                              {{"radius", format_number(c.radius)}, {"length", format_number(c.length)}});
            },
            [](const Cylinder& c) {
              return make_xml("cylinder",
                              {{"radius", format_number(c.radius)}, {"length", format_number(c.length)}});
            },
            [&](const MeshGeometry& mesh) {
              return make_xml("mesh", {{"filename", meshes_.path_of(mesh.mesh)}});
            },
            [](const auto&) { return Element{}; },  // planes and terrains are not in a robot
        },
        shape.geometry);
    for (const char* kind : {"visual", "collision"}) {
      const bool is_visual = kind[0] == 'v';
      if (is_visual ? !shape.visible : !shape.collide) continue;
      Element element = make_xml(kind, {});
      element.children = {make_origin(X_FB * shape.X_BS), make_xml("geometry", {})};
      element.children[1].children = {form};
      if (is_visual) {
        Element material = make_xml("material", {{"name", fmt::format("color{}", ++colors_)}});
        const Color& c = shape.color;
        material.children = {
            make_xml("color", {{"rgba", fmt::format("{} {} {} {}", format_number(c[0]), format_number(c[1]),
                                                    format_number(c[2]), format_number(c[3]))}})};
        element.children.push_back(std::move(material));
      }
      link.children.push_back(std::move(element));
    }
  }

  void add_site(const SiteModel& site, const BodyModel& body, const Pose& X_FB, Element& root) {
    const std::string name = link_names_.make(short_name(site.name));
    root.children.push_back(make_xml("link", {{"name", name}}));
    root.children.push_back(make_joint(name + "_site", "fixed", short_name(body.name), name, X_FB * site.X_BS));
    ++sites_;
  }

  static Element make_joint(const std::string& name, std::string_view type, const std::string& parent,
                            const std::string& child, const Pose& pose) {
    Element joint = make_xml("joint", {{"name", name}, {"type", std::string(type)}});
    joint.children = {make_origin(pose), make_xml("parent", {{"link", parent}}),
                      make_xml("child", {{"link", child}})};
    return joint;
  }

  void add_joint_above(const BodyModel& body, const Pose& X_BF, Element& root) {
    const std::string child = short_name(body.name);
    if (body.parent == kWorldBody) {
      add_root_joint(body, X_BF, root);
      return;
    }
    const BodyModel& parent = model_.body(body.parent);
    const Pose X_FpFc = frame_of(parent).inverse() * body.X_PB * X_BF;
    if (!body.joint || model_.joint(*body.joint).type == JointType::kFixed) {
      root.children.push_back(make_joint(joint_name(body), "fixed", short_name(parent.name), child, X_FpFc));
      return;
    }
    const JointModel& joint = model_.joint(*body.joint);
    if (joint.type == JointType::kBall) {
      add_ball(joint, short_name(parent.name), child, X_FpFc, root);
      return;
    }
    root.children.push_back(make_moving(joint, short_name(parent.name), child, X_FpFc));
  }

  void report_initial_velocity(const JointModel& joint) {
    if (std::any_of(joint.initial_velocity.begin(), joint.initial_velocity.end(),
                    [](double v) { return v != 0.0; }))
      report().lost.push_back(fmt::format("joint '{}': its initial velocity", joint.name));
  }

  std::string joint_name(const BodyModel& body) {
    return body.joint ? short_name(model_.joint(*body.joint).name) : short_name(body.name) + "_fixed";
  }

  /// The root is fixed to the world or floating; a link for the world gives its pose.
  void add_root_joint(const BodyModel& body, const Pose& X_BF, Element& root) {
    const bool is_free = body.joint && model_.joint(*body.joint).type == JointType::kFree;
    const bool is_fixed = !body.joint || model_.joint(*body.joint).type == JointType::kFixed;
    if (is_fixed && body.X_PB == Pose{}) return;
    const std::string world = link_names_.make("world");
    root.children.insert(root.children.begin(), make_xml("link", {{"name", world}}));
    const std::string child = short_name(body.name);
    if (is_free) report_initial_velocity(model_.joint(*body.joint));
    if (is_free || is_fixed) {
      root.children.push_back(
          make_joint(joint_name(body), is_free ? "floating" : "fixed", world, child, body.X_PB));
    } else if (const JointModel& joint = model_.joint(*body.joint); joint.type == JointType::kBall) {
      add_ball(joint, world, child, body.X_PB * X_BF, root);
    } else {
      root.children.push_back(make_moving(joint, world, child, body.X_PB * X_BF));
    }
  }

  Element make_moving(const JointModel& joint, const std::string& parent, const std::string& child,
                      const Pose& pose) {
    const bool slides = joint.type == JointType::kSlide;
    const char* type = slides ? "prismatic" : joint.lower ? "revolute" : "continuous";
    Element made = make_joint(short_name(joint.name), type, parent, child, pose);
    made.children.push_back(make_xml("axis", {{"xyz", numbers_text(joint.axis)}}));
    const double lower = joint.lower.value_or(-kUnlimited), upper = joint.upper.value_or(kUnlimited);
    if (joint.lower || slides) {
      made.children.push_back(make_xml("limit", {{"lower", format_number(lower)},
                                                 {"upper", format_number(upper)},
                                                 {"effort", format_number(find_effort(joint))},
                                                 {"velocity", format_number(find_velocity(joint))}}));
    }
    add_dynamics(joint, made);
    for (const CouplingModel& coupling : model_.couplings) {
      if (&model_.joint(coupling.joint) != &joint) continue;
      made.children.push_back(make_xml("mimic", {{"joint", short_name(model_.joint(coupling.follows).name)},
                                                 {"multiplier", format_number(coupling.ratio)},
                                                 {"offset", format_number(coupling.offset)}}));
    }
    if (joint.stiffness != 0.0) report().lost.push_back(fmt::format("joint '{}': its spring", joint.name));
    const bool follows = made.children.back().name == "mimic";
    if (!follows && (joint.initial_position[0] != 0.0 || joint.initial_velocity[0] != 0.0))
      report().lost.push_back(fmt::format("joint '{}': its initial position and velocity", joint.name));
    return made;
  }

  void add_dynamics(const JointModel& joint, Element& element) {
    if (joint.damping == 0.0 && joint.friction == 0.0 && joint.armature == 0.0) return;
    Element dynamics = make_xml(
        "dynamics", {{"damping", format_number(joint.damping)}, {"friction", format_number(joint.friction)}});
    if (joint.armature != 0.0) {
      dynamics.attributes.push_back({"armature", format_number(joint.armature), {}});
      has_armature_ = true;
    }
    element.children.push_back(std::move(dynamics));
  }

  /// Maximum torque or force, and maximum speed, of the actuators of a joint.
  double find_effort(const JointModel& joint) const {
    return find_limit(joint, {"limit", "max_effort"}, joint.type == JointType::kSlide ? "N" : "N*m");
  }
  double find_velocity(const JointModel& joint) const {
    return find_limit(joint, {"max_speed"}, joint.type == JointType::kSlide ? "m/s" : "rad/s");
  }
  double find_limit(const JointModel& joint, std::initializer_list<const char*> attributes,
                    const char* unit) const {
    for (const Element& device : robot_.devices.actuators) {
      const Attribute* drives = device.find_attribute("joint");
      if (drives == nullptr || drives->value != short_name(joint.name)) continue;
      for (const char* name : attributes) {
        if (const auto limit = read_device_number(device, name, unit)) return *limit;
      }
    }
    return kUnlimited;
  }

  /// URDF has no ball joint: three hinges about x, y and z, with nearly massless links between them.
  void add_ball(const JointModel& joint, std::string parent, const std::string& child, Pose pose,
                Element& root) {
    const std::string name = short_name(joint.name);
    report_initial_velocity(joint);
    for (int axis = 0; axis < 3; ++axis) {
      const std::string letter(1, "xyz"[axis]);
      std::string below = child;
      if (axis < 2) {
        below = link_names_.make(name + "_" + letter);
        Element link = make_xml("link", {{"name", below}});
        link.children = {make_inertial(mass_between_hinges(), {})};
        root.children.push_back(std::move(link));
      }
      Element hinge = make_joint(name + "_" + letter, "continuous", parent, below, std::exchange(pose, Pose{}));
      hinge.children.push_back(make_xml("axis", {{"xyz", numbers_text(Vec3(Vec3::Unit(axis)))}}));
      add_dynamics(joint, hinge);
      root.children.push_back(std::move(hinge));
      parent = below;
    }
    report().lost.push_back(
        fmt::format("ball joint '{}': written as three hinges about x, y and z", joint.name));
  }

  void report_losses() {
    const auto lose = [&](std::size_t count, std::string_view what) {
      if (count > 0) report().lost.push_back(fmt::format("{} {}", count, what));
    };
    report().read.push_back(fmt::format("robot '{}' with {} links", robot_.name, robot_.links.size()));
    if (sites_ > 0)
      report().assumed.push_back(fmt::format("{} sites are massless links, fixed to their link", sites_));
    if (moved_frames_ > 0) {
      report().assumed.push_back(fmt::format(
          "{} links have their origin at the anchor of their joint, as URDF requires", moved_frames_));
    }
    if (has_armature_)
      report().assumed.push_back(
          "armature is an attribute of <dynamics>, which other URDF readers do not support");
    if (has_capsules_)
      report().assumed.push_back("capsules are <capsule>, which not every URDF reader supports");
    lose(robot_.loops.size(), "loops: URDF supports only trees");
    lose(robot_.springs.size() + robot_.ropes.size(), "springs and ropes");
    lose(robot_.exclusions.size(), "excluded collision pairs");
    lose(robot_.devices.sensors.size(), "sensors");
    lose(robot_.devices.actuators.size(), "actuators, except their maximum effort and speed");
    lose(scenario_.objects.size() + scenario_.grounds.size() + scenario_.terrains.size(),
         "objects, grounds and terrains");
    lose(scenario_.robots.size() - 1, "other robots");
    lose(scenario_.materials.size(), "materials: friction, restitution, stiffness");
    if (scenario_.gravity != Scenario{}.gravity) report().lost.push_back("gravity");
    report_environment(scenario_, report());
  }

  const Scenario& scenario_;
  const Robot& robot_;
  Model model_;
  MeshWriter meshes_;
  Exported exported_;
  Names link_names_;
  std::size_t sites_ = 0, moved_frames_ = 0, colors_ = 0;
  bool has_capsules_ = false, has_armature_ = false;
};

const Robot& find_robot(const ExportSource& source) {
  const std::vector<Robot>& robots = source.scenario.robots;
  if (robots.empty()) throw_user_error(source.root.place, "there is no robot to write");
  if (source.robot.empty() && robots.size() == 1) return robots[0];
  std::vector<std::string> names;
  for (const Robot& robot : robots) {
    if (robot.name == source.robot) return robot;
    names.push_back(robot.name);
  }
  if (source.robot.empty())
    throw_user_error({"--robot"}, "there are {} robots, but URDF supports one{}", robots.size(),
                     suggest("", names));
  throw_user_error({"--robot"}, "there is no robot '{}'{}", source.robot, suggest(source.robot, names));
}

}  // namespace

Vec3 to_rpy(const Quat& q) {
  const Mat3 R = q.toRotationMatrix();
  // Roll and pitch are computed for this yaw, so the result is exact even if pitch is 90 deg.
  const double yaw = std::atan2(R(1, 0), R(0, 0));
  const Mat3 rest = Eigen::AngleAxisd(-yaw, Vec3::UnitZ()).toRotationMatrix() * R;
  return {std::atan2(-rest(1, 2), rest(1, 1)), std::atan2(-rest(2, 0), rest(0, 0)), yaw};
}

Exported export_urdf(const ExportSource& source) {
  return UrdfExporter(source, find_robot(source)).run();
}

}  // namespace lockstep
