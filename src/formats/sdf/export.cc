#include <algorithm>
#include <map>
#include <set>

#include "base/overloaded.h"
#include "base/units.h"
#include "formats/common/robot_export.h"
#include "formats/sdf/sdf.h"
#include "formats/urdf/urdf.h"
#include "scenario/write.h"

namespace lockstep {

namespace {

/// Mass and inertia of moving links that have none of their own, kg and kg m^2: SDF needs some.
constexpr double kHardlyAnySdfMass = 1e-12;
constexpr double kHardlyAnySdfInertia = 1e-15;

Element with_text(std::string_view name, std::string text) {
  Element element = make_xml(name, {});
  element.text = std::move(text);
  return element;
}

class SdfExporter {
 public:
  explicit SdfExporter(const ExportSource& source)
      : scenario_(source.scenario),
        wanted_(source.robot),
        model_(build_for_export(source)),
        meshes_(model_, source.asset_folder) {}

  Exported run(const Place& place) {
    if (!wanted_.empty()) find_wanted();
    const bool is_alone = !wanted_.empty() || (scenario_.robots.size() == 1 && scenario_.objects.empty() &&
                                               scenario_.grounds.empty());
    // <mimic> is new in 1.11.
    Element root = make_xml("sdf", {{"version", model_.couplings.empty() ? "1.9" : "1.11"}});
    Element world = make_xml("world", {{"name", scenario_.name}});
    Element& scope = is_alone ? root : world;
    if (!is_alone) add_world(world);
    for (const Robot& robot : scenario_.robots) {
      if (wanted_.empty() || robot.name == wanted_) add_robot(robot, scope);
    }
    if (!is_alone) {
      for (const Object& object : scenario_.objects) add_object(object, world);
      for (const Ground& ground : scenario_.grounds) add_ground(ground, world);
      root.children.push_back(std::move(world));
    }
    if (scope.children.empty() && is_alone) throw_user_error(place, "there is no robot to write");
    if (has_armature_) root.attributes.push_back({"xmlns:lockstep", "https://lockstep.example/sdf", {}});
    report_losses(is_alone);
    exported_.files.push_back({"", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + write_element(root)});
    for (ExportedFile& file : meshes_.take_files()) exported_.files.push_back(std::move(file));
    return std::move(exported_);
  }

 private:
  FormatReport& report() { return exported_.report; }

  void find_wanted() const {
    std::vector<std::string> names;
    for (const Robot& robot : scenario_.robots) names.push_back(robot.name);
    if (std::find(names.begin(), names.end(), wanted_) == names.end())
      throw_user_error({"--robot"}, "there is no robot '{}'{}", wanted_, suggest(wanted_, names));
  }

  void add_world(Element& world) {
    Element physics = make_xml("physics", {{"name", "step"}, {"type", "ode"}});
    physics.children = {
        with_text("max_step_size", format_number(static_cast<double>(scenario_.step.count()) * 1e-9)),
        with_text("real_time_factor", "1")};
    world.children = {std::move(physics), with_text("gravity", numbers_text(scenario_.gravity))};
  }

  static Element make_pose(const Pose& pose, const std::string& relative_to = "") {
    Element element = with_text("pose", numbers_text(pose.p) + " " + numbers_text(to_rpy(pose.q)));
    if (!relative_to.empty()) element.attributes.push_back({"relative_to", relative_to, {}});
    return element;
  }

  static std::string last_name(const std::string& full) { return full.substr(full.rfind('/') + 1); }
  std::string link_name(BodyId id) const { return id == kWorldBody ? "world" : link_names_.at(id); }

  void add_robot(const Robot& robot, Element& scope) {
    Element element = make_xml("model", {{"name", robot.name}});
    element.children.push_back(with_text("self_collide", robot.self_collide ? "true" : "false"));
    // Names of links, joints and frames are unique among all of them; joints keep theirs.
    Names names;
    (void)names.make("world");
    std::vector<BodyId> bodies;
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const BodyModel& body = model_.bodies[i];
      if (!body.name.starts_with(robot.name + "/")) continue;
      bodies.push_back(BodyId{static_cast<int>(i)});
      if (body.joint) joint_names_[*body.joint] = names.make(last_name(model_.joint(*body.joint).name));
    }
    for (const BodyId id : bodies) {
      link_names_[id] = names.make(last_name(model_.body(id).name));
      if (link_names_.at(id) != last_name(model_.body(id).name)) ++renamed_;
    }
    for (const BodyId id : bodies) add_link(id, element);
    for (const BodyId id : bodies) add_joint_above(id, robot, names, element);
    for (const SiteModel& site : model_.sites) {
      if (!link_names_.contains(site.body) || !site.name.starts_with(robot.name + "/")) continue;
      Element frame = make_xml(
          "frame", {{"name", names.make(last_name(site.name))}, {"attached_to", link_name(site.body)}});
      frame.children = {make_pose(site.X_BS)};
      element.children.push_back(std::move(frame));
    }
    for (const LoopModel& loop : model_.loops) add_loop(loop, names, element);
    ++models_;
    scope.children.push_back(std::move(element));
  }

  void add_object(const Object& object, Element& world) {
    const auto id = model_.find_body(object.name);
    LOCKSTEP_CHECK(id.has_value());
    Element element = make_xml("model", {{"name", object.name}});
    if (object.is_static) element.children.push_back(with_text("static", "true"));
    link_names_[*id] = "body";
    add_link(*id, element);
    if (!object.velocity.isZero() || !object.angular_velocity.isZero())
      report().lost.push_back(fmt::format("object '{}': its initial velocity", object.name));
    ++models_;
    world.children.push_back(std::move(element));
  }

  void add_ground(const Ground& ground, Element& world) {
    ++models_;
    Element element = make_xml("model", {{"name", ground.name}});
    Element link = make_xml("link", {{"name", "body"}});
    Element plane = make_xml("plane", {});
    plane.children = {with_text("normal", "0 0 1"), with_text("size", "100 100")};
    for (const char* kind : {"collision", "visual"}) {
      Element shape = make_xml(kind, {{"name", kind}}), geometry = make_xml("geometry", {});
      geometry.children = {plane};
      shape.children = {std::move(geometry)};
      if (kind[0] == 'c') {
        for (const ShapeModel& each : model_.shapes) {
          const bool is_it = std::holds_alternative<PlaneGeometry>(each.geometry) && each.name == ground.name;
          if (is_it) shape.children.push_back(make_surface(each.material));
          if (is_it) break;
        }
      }
      link.children.push_back(std::move(shape));
    }
    element.children = {with_text("static", "true"),
                        make_pose({Vec3(0.0, 0.0, ground.height), Quat::Identity()}), std::move(link)};
    world.children.push_back(std::move(element));
  }

  void add_link(BodyId id, Element& element) {
    const BodyModel& body = model_.body(id);
    Element link = make_xml("link", {{"name", link_name(id)}});
    link.children.push_back(make_pose(body.X_PB, body.parent == kWorldBody ? "" : link_name(body.parent)));
    if (model_.can_move(id)) link.children.push_back(make_inertial(body.mass));
    std::size_t count = 0;
    for (const ShapeModel& shape : model_.shapes) {
      if (shape.body == id) add_shape(shape, ++count, link);
    }
    element.children.push_back(std::move(link));
  }

  static Element make_inertial(const MassProperties& mass) {
    const bool has_mass = mass.mass > 0.0;
    const Mat3 I = has_mass ? mass.inertia : Mat3(kHardlyAnySdfInertia * Mat3::Identity());
    Element inertial = make_xml("inertial", {}), inertia = make_xml("inertia", {});
    const auto entry = [&](const char* name, int row, int column) {
      inertia.children.push_back(with_text(name, format_number(I(row, column))));
    };
    entry("ixx", 0, 0), entry("ixy", 0, 1), entry("ixz", 0, 2), entry("iyy", 1, 1), entry("iyz", 1, 2),
        entry("izz", 2, 2);
    inertial.children = {make_pose({mass.center, Quat::Identity()}),
                         with_text("mass", format_number(has_mass ? mass.mass : kHardlyAnySdfMass)),
                         std::move(inertia)};
    return inertial;
  }

  Element make_surface(MaterialId id) const {
    const Material& material = model_.materials[index(id)];
    Element surface = make_xml("surface", {}), friction = make_xml("friction", {}), ode = make_xml("ode", {});
    ode.children = {with_text("mu", format_number(material.friction)),
                    with_text("mu2", format_number(material.friction))};
    friction.children = {std::move(ode)};
    surface.children = {std::move(friction)};
    if (material.restitution > 0.0) {
      Element bounce = make_xml("bounce", {});
      bounce.children = {with_text("restitution_coefficient", format_number(material.restitution))};
      surface.children.push_back(std::move(bounce));
    }
    return surface;
  }

  void add_shape(const ShapeModel& shape, std::size_t number, Element& link) {
    const auto form = [](std::string_view name,
                         std::initializer_list<std::pair<std::string_view, std::string>> values) {
      Element element = make_xml(name, {});
      for (const auto& [child, text] : values) element.children.push_back(with_text(child, text));
      return element;
    };
    Element geometry = make_xml("geometry", {});
    geometry.children.push_back(std::visit(
        Overloaded{
            [&](const Box& box) {
              return form("box", {{"size", numbers_text(box.size)}});
            },
            [&](const Sphere& sphere) {
              return form("sphere", {{"radius", format_number(sphere.radius)}});
            },
            [&](const Capsule& c) {
              return form("capsule",
                          {{"radius", format_number(c.radius)}, {"length", format_number(c.length)}});
            },
            [&](const Cylinder& c) {
              return form("cylinder",
                          {{"radius", format_number(c.radius)}, {"length", format_number(c.length)}});
            },
            [&](const MeshGeometry& mesh) {
              return form("mesh", {{"uri", meshes_.path_of(mesh.mesh)}});
            },
            [&](const auto&) { return form("empty", {}); },  // planes and terrains are not on a link
        },
        shape.geometry));
    for (const char* kind : {"visual", "collision"}) {
      const bool is_visual = kind[0] == 'v';
      if (is_visual ? !shape.visible : !shape.collide) continue;
      Element element = make_xml(kind, {{"name", fmt::format("{}{}", kind, number)}});
      element.children = {make_pose(shape.X_BS), geometry};
      if (is_visual) {
        const Color& c = shape.color;
        const std::string rgba = fmt::format("{} {} {} {}", format_number(c[0]), format_number(c[1]),
                                             format_number(c[2]), format_number(c[3]));
        Element material = make_xml("material", {});
        material.children = {with_text("ambient", rgba), with_text("diffuse", rgba)};
        element.children.push_back(std::move(material));
      } else {
        element.children.push_back(make_surface(shape.material));
      }
      link.children.push_back(std::move(element));
    }
  }

  static Element make_joint(const std::string& name, std::string_view type, const std::string& parent,
                            const std::string& child, const Pose& pose) {
    Element joint = make_xml("joint", {{"name", name}, {"type", std::string(type)}});
    joint.children = {make_pose(pose), with_text("parent", parent), with_text("child", child)};
    return joint;
  }

  void add_joint_above(BodyId id, const Robot& robot, Names& names, Element& element) {
    const BodyModel& body = model_.body(id);
    const JointModel* joint = body.joint ? &model_.joint(*body.joint) : nullptr;
    if (joint == nullptr || joint->type == JointType::kFixed) {
      const std::string name =
          joint != nullptr ? joint_names_.at(*body.joint) : names.make(link_name(id) + "_fixed");
      element.children.push_back(make_joint(name, "fixed", link_name(body.parent), link_name(id), {}));
      return;
    }
    if (std::any_of(joint->initial_velocity.begin(), joint->initial_velocity.end(),
                    [](double v) { return v != 0.0; }))
      report().lost.push_back(fmt::format("joint '{}': its initial velocity", joint->name));
    if (joint->type == JointType::kFree) return;  // as everything that no joint holds
    const char* type = joint->type == JointType::kBall    ? "ball"
                       : joint->type == JointType::kSlide ? "prismatic"
                       : joint->lower                     ? "revolute"
                                                          : "continuous";
    Element made = make_joint(joint_names_.at(*body.joint), type, link_name(body.parent), link_name(id),
                              {joint->position, Quat::Identity()});
    if (joint->type != JointType::kBall) made.children.push_back(make_axis(*joint, *body.joint, robot));
    if (joint->type == JointType::kBall &&
        (joint->damping != 0.0 || joint->friction != 0.0 || joint->stiffness != 0.0))
      report().lost.push_back(fmt::format("ball joint '{}': its damping, friction and spring", joint->name));
    if (joint->armature != 0.0) {
      made.children.push_back(with_text("lockstep:armature", format_number(joint->armature)));
      has_armature_ = true;
    }
    element.children.push_back(std::move(made));
  }

  Element make_axis(const JointModel& joint, JointId id, const Robot& robot) {
    Element axis = make_xml("axis", {}), limit = make_xml("limit", {}), dynamics = make_xml("dynamics", {});
    axis.children = {with_text("xyz", numbers_text(joint.axis))};
    bool follows = false;
    for (const CouplingModel& coupling : model_.couplings) {
      if (coupling.joint != id) continue;
      Element mimic = make_xml("mimic", {{"joint", joint_names_.at(coupling.follows)}, {"axis", "axis"}});
      mimic.children = {with_text("multiplier", format_number(coupling.ratio)),
                        with_text("offset", format_number(coupling.offset)), with_text("reference", "0")};
      axis.children.push_back(std::move(mimic));
      follows = true;
    }
    if (joint.lower)
      limit.children = {with_text("lower", format_number(*joint.lower)),
                        with_text("upper", format_number(*joint.upper))};
    if (const auto effort = find_effort(joint, robot))
      limit.children.push_back(with_text("effort", format_number(*effort)));
    if (!limit.children.empty()) axis.children.push_back(std::move(limit));
    const auto add = [&](const char* name, double value) {
      if (value != 0.0) dynamics.children.push_back(with_text(name, format_number(value)));
    };
    add("damping", joint.damping);
    add("friction", joint.friction);
    add("spring_stiffness", joint.stiffness);
    if (joint.stiffness != 0.0) add("spring_reference", joint.rest);
    if (!dynamics.children.empty()) axis.children.push_back(std::move(dynamics));
    if (!follows && joint.initial_position[0] != 0.0)
      report().lost.push_back(fmt::format("joint '{}': its initial position", joint.name));
    return axis;
  }

  static std::optional<double> find_effort(const JointModel& joint, const Robot& robot) {
    const char* unit = joint.type == JointType::kSlide ? "N" : "N*m";
    for (const Element& device : robot.devices.actuators) {
      const Attribute* drives = device.find_attribute("joint");
      if (drives == nullptr || drives->value != last_name(joint.name)) continue;
      for (const char* name : {"limit", "max_effort"}) {
        if (const auto effort = read_device_number(device, name, unit)) return effort;
      }
    }
    return std::nullopt;
  }

  /// A joint whose child has another one already.
  void add_loop(const LoopModel& loop, Names& names, Element& element) {
    const SiteModel &a = model_.site(loop.a), &b = model_.site(loop.b);
    const bool is_here = link_names_.contains(b.body) && (a.body == kWorldBody || link_names_.contains(a.body));
    const std::string robot = name_of_model(element) + "/";
    if (!is_here || !b.name.starts_with(robot) || (a.body != kWorldBody && !a.name.starts_with(robot))) return;
    const char* type = loop.type == LoopType::kHinge   ? "continuous"
                       : loop.type == LoopType::kPoint ? "ball"
                                                       : "fixed";
    Element joint =
        make_joint(names.make(last_name(loop.name)), type, link_name(a.body), link_name(b.body), b.X_BS);
    if (loop.type == LoopType::kHinge) {
      Element axis = make_xml("axis", {});
      axis.children = {with_text("xyz", "0 0 1")};
      joint.children.push_back(std::move(axis));
    }
    element.children.push_back(std::move(joint));
    ++loops_;
  }

  static std::string name_of_model(const Element& element) { return element.find_attribute("name")->value; }

  void report_losses(bool is_alone) {
    const auto lose = [&](std::size_t count, std::string_view what) {
      if (count > 0) report().lost.push_back(fmt::format("{} {}", count, what));
    };
    report().read.push_back(fmt::format("{} models{}", models_, is_alone ? "" : " in a world"));
    if (renamed_ > 0)
      report().assumed.push_back(
          fmt::format("{} links have another name: names of links and joints are unique in SDF", renamed_));
    if (has_armature_)
      report().assumed.push_back("armature is <lockstep:armature>, which other readers of SDF ignore");
    if (loops_ > 0)
      report().assumed.push_back(fmt::format("{} loops are joints to a link that has another joint", loops_));
    std::size_t sensors = 0, actuators = 0, springs = scenario_.springs.size() + scenario_.ropes.size(),
                exclusions = scenario_.exclusions.size();
    for (const Robot& robot : scenario_.robots) {
      sensors += robot.devices.sensors.size();
      actuators += robot.devices.actuators.size();
      springs += robot.springs.size() + robot.ropes.size();
      exclusions += robot.exclusions.size();
    }
    lose(model_.loops.size() - loops_, "loops between robots");
    lose(springs, "springs and ropes");
    lose(exclusions, "excluded collision pairs");
    lose(sensors, "sensors");
    lose(actuators, "actuators, except their maximum effort");
    lose(scenario_.terrains.size(), "terrains");
    lose(scenario_.contacts.size(), "material pairs");
    if (is_alone)
      lose(scenario_.objects.size() + scenario_.grounds.size() + scenario_.robots.size() - 1,
           "other robots, objects and grounds");
    if (is_alone && scenario_.gravity != Scenario{}.gravity) report().lost.push_back("gravity");
    report_environment(scenario_, report());
  }

  const Scenario& scenario_;
  std::string wanted_;
  Model model_;
  MeshWriter meshes_;
  Exported exported_;
  std::map<BodyId, std::string> link_names_;
  std::map<JointId, std::string> joint_names_;
  std::size_t models_ = 0, renamed_ = 0, loops_ = 0;
  bool has_armature_ = false;
};

}  // namespace

Exported export_sdf(const ExportSource& source) {
  return SdfExporter(source).run(source.root.place);
}

}  // namespace lockstep
