#include <algorithm>
#include <array>
#include <cmath>

#include "base/overloaded.h"
#include "base/units.h"
#include "formats/common/devices.h"
#include "formats/common/link_mass.h"
#include "formats/common/robot_export.h"
#include "formats/mjcf/mjcf.h"
#include "model/kinematics.h"
#include "physics/mujoco/options.h"
#include "scenario/write.h"

namespace lockstep {

namespace {

/// Maximum pull of a rope, N; MuJoCo requires a limit.
constexpr double kStrongestPull = 1e9;
/// Used for a missing joint limit, rad or m.
constexpr double kOpenEnd = 1e9;
/// Thickness of a heightmap below its lowest point, as a fraction of its smaller extent.
constexpr double kBaseOfExtent = 0.1;
/// Distance from its centre of the two points on the axis of a hinge that closes a loop, m.
constexpr double kHingeArm = 0.05;

/// Nesting depth of bodies in one file; MuJoCo reads at most 100 nested elements, our reader 64.
constexpr int kMaxNesting = 50;
constexpr std::string_view kXmlHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// Capacity of MuJoCo for contacts and constraint rows, if a file gives none.
constexpr double kDefaultContacts = 100.0, kDefaultRows = 500.0;
/// Rows for which MuJoCo has memory: it counts bytes in an int, and needs 12 for each two rows.
constexpr double kMaxRows = 11'000.0;
/// Contacts beyond those of all shapes at rest on the ground.
constexpr double kMoreContacts = 1.25;

/// Contacts of a shape that lies on a plane.
double contacts_at_rest(const ShapeModel& shape) {
  if (std::holds_alternative<Sphere>(shape.geometry)) return 1.0;
  return std::holds_alternative<Capsule>(shape.geometry) ? 2.0 : 4.0;
}

/// Whether MuJoCo accepts a mesh: by the sum of the volumes between its faces and their centre.
bool has_volume(const Mesh& mesh) {
  constexpr double kMinVolume = 1e-14;  // m^3; MuJoCo's limit is 1e-15
  if (mesh.vertices.size() < 4 || mesh.faces.empty()) return false;
  Vec3 center = Vec3::Zero();
  for (const Vec3& vertex : mesh.vertices) center += vertex / static_cast<double>(mesh.vertices.size());
  double volume = 0.0;
  for (const auto& face : mesh.faces) {
    const auto corner = [&](std::size_t i) {
      return Vec3(mesh.vertices[static_cast<std::size_t>(face[i])] - center);
    };
    volume += std::abs(corner(0).dot(corner(1).cross(corner(2)))) / 6.0;
  }
  return volume > kMinVolume;
}

int dimension_of(const ContactModel& contact) {
  return contact.rolling_friction > 0.0     ? 6
         : contact.torsional_friction > 0.0 ? 4
         : contact.friction > 0.0           ? 3
                                            : 1;
}

template <std::size_t N>
std::string numbers_of(const std::array<double, N>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + format_number(value);
  return text;
}

void set(Element& element, std::string_view name, std::string value) {
  element.attributes.push_back({std::string(name), std::move(value), {}});
}

void set_pose(Element& element, const Pose& pose) {
  if (!pose.p.isZero()) set(element, "pos", numbers_text(pose.p));
  if (!(pose.q.coeffs() == Quat::Identity().coeffs())) set(element, "quat", numbers_text(pose.q));
}

class MjcfExporter {
 public:
  explicit MjcfExporter(const ExportSource& source)
      : scenario_(source.scenario),
        model_(build_for_export(source)),
        options_(own_options<MujocoOptions>(model_.engine.own)),
        meshes_(model_, source.asset_folder),
        folder_(source.asset_folder) {}

  Exported run() {
    Element root = make_xml("mujoco", {{"model", model_.name.empty() ? "lockstep" : model_.name}});
    root.children.push_back(
        make_xml("compiler", {{"angle", "radian"}, {"autolimits", "true"}, {"inertiafromgeom", "false"}}));
    add_capacity(root);
    root.children.push_back(make_option());
    Element world = make_xml("worldbody", {});
    add_inside(kWorldBody, world);
    root.children.push_back(make_assets());
    move_deep_bodies(world, 0);
    root.children.push_back(std::move(world));
    add_exclusions(root);
    add_equalities(root);
    add_springs_and_devices(root);
    report_start();
    report_losses();
    exported_.files.push_back({"", std::string(kXmlHead) + write_element(root)});
    for (ExportedFile& file : meshes_.take_files()) exported_.files.push_back(std::move(file));
    return std::move(exported_);
  }

 private:
  template <class T>
  static T own_options(const std::vector<Element>& own) {
    Diagnostics diagnostics;
    T options = read_own<T>(own, diagnostics);
    diagnostics.throw_if_errors();
    return options;
  }

  FormatReport& report() { return exported_.report; }

  Element make_option() {
    const EngineOptions& e = model_.engine;
    constexpr std::array<const char*, 3> kIntegrators = {"Euler", "implicit", "RK4"},
                                         kSolvers = {"Newton", "CG", "PGS"};
    Element option =
        make_xml("option", {{"timestep", format_number(to_seconds(model_.step))},
                            {"gravity", numbers_text(model_.gravity)},
                            {"integrator", kIntegrators[static_cast<std::size_t>(e.integrator)]},
                            {"solver", kSolvers[static_cast<std::size_t>(options_.solver)]},
                            {"cone", options_.cone == FrictionCone::kElliptic ? "elliptic" : "pyramidal"},
                            {"iterations", fmt::format("{}", e.iterations)},
                            {"tolerance", format_number(e.tolerance)},
                            {"impratio", format_number(options_.friction_impedance_ratio)}});
    if (options_.level_sliding)
      report().lost.push_back("level_sliding of <mujoco>: fast sliding contacts may hop in MuJoCo");
    const bool turns = std::any_of(model_.joints.begin(), model_.joints.end(), [](const JointModel& joint) {
      return joint.type == JointType::kFree || joint.type == JointType::kBall;
    });
    if (options_.steady_spin && turns)
      report().lost.push_back(
          "steady_spin of <mujoco>: fast spinning bodies may gain or lose energy in MuJoCo");
    return option;
  }

  /// MuJoCo drops contacts above its capacity.
  void add_capacity(Element& root) {
    double contacts = 0.0, rows = static_cast<double>(2 * model_.joints.size() + model_.couplings.size());
    for (const ShapeModel& shape : model_.shapes) {
      if (shape.collide && shape.body != kWorldBody) contacts += kMoreContacts * contacts_at_rest(shape);
    }
    rows += 6.0 * static_cast<double>(model_.loops.size());
    int dimension = 1;
    for (const ContactModel& contact : model_.contacts) dimension = std::max(dimension, dimension_of(contact));
    const double per_contact =
        options_.cone == FrictionCone::kPyramidal && dimension > 1 ? 2.0 * (dimension - 1) : dimension;
    const double fitting = std::floor((kMaxRows - rows) / per_contact);
    if (contacts > fitting) {
      contacts = std::max(1.0, fitting);
      report().lost.push_back(
          fmt::format("more than {} contacts at a time: MuJoCo has no memory for them", contacts));
    }
    contacts = std::ceil(contacts);
    if (contacts <= kDefaultContacts && rows + contacts * per_contact <= kDefaultRows) return;
    root.children.push_back(make_xml("size", {{"njmax", fmt::format("{}", rows + contacts * per_contact)},
                                              {"nconmax", fmt::format("{}", contacts)}}));
  }

  /// solref… and solimp….
  void set_softness(Element& element, const char* which, const Firmness& firmness, bool is_contact) const {
    const EngineOptions& e = model_.engine;
    const double usual = is_contact ? *e.contact_time_constant : *e.constraint_time_constant;
    const double damping = is_contact ? e.contact_damping_ratio : e.constraint_damping_ratio;
    const std::vector<double>& i = is_contact ? options_.contact_impedance : options_.constraint_impedance;
    set(element, fmt::format("solref{}", which),
        numbers_of(
            std::array{firmness.time_constant.value_or(usual), firmness.damping_ratio.value_or(damping)}));
    set(element, fmt::format("solimp{}", which),
        numbers_text(own_options<MujocoJointOptions>(firmness.own).impedance.value_or(Vec3(i[0], i[1], i[2]))));
  }

  void add_inside(BodyId id, Element& element) {
    for (const ShapeModel& shape : model_.shapes) {
      if (shape.body != id) continue;
      const auto* mesh = std::get_if<MeshGeometry>(&shape.geometry);
      if (mesh != nullptr && !shape.collide && !has_volume(model_.meshes[index(mesh->mesh)])) {
        report().lost.push_back(fmt::format("mesh of '{}': it is flat, which MuJoCo rejects", shape.name));
        continue;
      }
      element.children.push_back(make_geom(shape));
    }
    for (const SiteModel& site : model_.sites) {
      if (site.body != id) continue;
      element.children.push_back(make_xml("site", {{"name", site.name}}));
      set_pose(element.children.back(), site.X_BS);
    }
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      if (model_.bodies[i].parent == id) element.children.push_back(make_body(BodyId{static_cast<int>(i)}));
    }
  }

  /// Moves bodies that are nested too deeply to files that are included in their place.
  void move_deep_bodies(Element& element, int depth) {
    const bool is_last = depth == kMaxNesting;
    Element deep = make_xml("mujocoinclude", {});
    std::vector<Element> others;
    for (Element& child : element.children) {
      if (child.name == "body") move_deep_bodies(child, is_last ? 1 : depth + 1);
      (is_last && child.name == "body" ? deep.children : others).push_back(std::move(child));
    }
    element.children = std::move(others);
    if (deep.children.empty()) return;
    const std::string path = fmt::format("{}/bodies{}.xml", folder_, ++included_files_);
    element.children.push_back(make_xml("include", {{"file", path}}));
    exported_.files.push_back({path, std::string(kXmlHead) + write_element(deep)});
  }

  /// The body that a massless one moves, if it does nothing else.
  std::optional<BodyId> find_only_child(BodyId id) const {
    std::optional<BodyId> only;
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      if (model_.bodies[i].parent != id) continue;
      if (only) return std::nullopt;
      only = BodyId{static_cast<int>(i)};
    }
    const bool has_sites = std::any_of(model_.sites.begin(), model_.sites.end(),
                                       [&](const SiteModel& site) { return site.body == id; });
    return has_sites ? std::nullopt : only;
  }

  /// Bodies are written at their initial pose, so that loops are closed there; joint positions are relative to
  /// `ref`. `joints` are those of massless parents, which become further joints of the body, with anchor and axis
  /// in the parent; `X_AP` is the pose of the parent in the body that contains this one in the file.
  Element make_body(BodyId id, std::vector<JointModel> joints = {}, const Pose& X_AP = {}) {
    const BodyModel& body = model_.body(id);
    Pose X_PB = body.X_PB;
    if (body.joint) {
      const JointModel& joint = model_.joint(*body.joint);
      X_PB = X_PB * joint_motion(joint, joint.initial_position);
      if (joint.detachable)
        report().lost.push_back(fmt::format("joint '{}': that it is detachable", joint.name));
    }
    for (JointModel& joint : joints) {
      joint.position = X_PB.inverse() * joint.position;
      joint.axis = X_PB.q.conjugate() * joint.axis;
    }
    if (body.joint) joints.push_back(model_.joint(*body.joint));
    MassProperties mass = body.mass;
    if (body.massless) {
      if (const auto child = find_only_child(id)) return make_body(*child, std::move(joints), X_AP * X_PB);
      constexpr double kHardlyAnyMass = 1e-9;  // kg; MuJoCo needs one
      mass = make_grain(kHardlyAnyMass);
      report().assumed.push_back(fmt::format("massless link '{}': {} kg", body.name, kHardlyAnyMass));
    }
    Element element = make_xml("body", {{"name", body.name}});
    set_pose(element, X_AP * X_PB);
    std::vector<Element> inside;
    for (const JointModel& joint : joints) {
      if (joint.type != JointType::kFixed) inside.push_back(make_joint(joint));
    }
    if (mass.mass > 0.0) {
      const Mat3& I = mass.inertia;
      inside.push_back(make_xml(
          "inertial",
          {{"pos", numbers_text(mass.center)},
           {"mass", format_number(mass.mass)},
           {"fullinertia", numbers_of(std::array{I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)})}}));
    }
    element.children = std::move(inside);
    add_inside(id, element);
    return element;
  }

  Element make_joint(const JointModel& joint) {
    constexpr std::array<const char*, 5> kTypes = {"fixed", "hinge", "slide", "ball", "free"};
    Element element =
        make_xml("joint", {{"name", joint.name}, {"type", kTypes[static_cast<std::size_t>(joint.type)]}});
    if (joint.type == JointType::kFree) return element;
    set(element, "pos", numbers_text(joint.position));
    const auto set_if = [&](const char* name, double value) {
      if (value != 0.0) set(element, name, format_number(value));
    };
    set_if("damping", joint.damping);
    set_if("frictionloss", joint.friction);
    set_if("armature", joint.armature);
    set_if("stiffness", joint.stiffness);
    if (joint.type != JointType::kBall) {
      set(element, "axis", numbers_text(joint.axis));
      set_if("ref", joint.initial_position[0]);
      if (joint.stiffness != 0.0) set_if("springref", joint.rest);
      if (joint.lower || joint.upper) {
        set(element, "range",
            numbers_of(std::array{joint.lower.value_or(-kOpenEnd), joint.upper.value_or(kOpenEnd)}));
      }
    }
    if (joint.lower || joint.upper) set_softness(element, "limit", joint.firmness, false);
    if (joint.friction > 0.0) set_softness(element, "friction", joint.firmness, false);
    return element;
  }

  Element make_geom(const ShapeModel& shape) {
    Element geom = make_xml("geom", {{"name", shape.name}});
    std::visit(
        Overloaded{
            [&](const PlaneGeometry&) { set(geom, "type", "plane"), set(geom, "size", "0 0 1"); },
            [&](const Box& box) {
              set(geom, "type", "box"), set(geom, "size", numbers_text(Vec3(box.size / 2.0)));
            },
            [&](const Sphere& s) { set(geom, "type", "sphere"), set(geom, "size", format_number(s.radius)); },
            [&](const Capsule& c) {
              set(geom, "type", "capsule"), set(geom, "size", numbers_of(std::array{c.radius, c.length / 2.0}));
            },
            [&](const Cylinder& c) {
              set(geom, "type", "cylinder"),
                  set(geom, "size", numbers_of(std::array{c.radius, c.length / 2.0}));
            },
            [&](const MeshGeometry& mesh) {
              set(geom, "type", "mesh"), set(geom, "mesh", fmt::format("mesh{}", index(mesh.mesh)));
              used_meshes_.push_back(mesh.mesh);
            },
            [&](const HeightmapGeometry&) {
              set(geom, "type", "hfield"), set(geom, "hfield", shape.name);
              heightmaps_.push_back(&shape);
            },
        },
        shape.geometry);
    set_pose(geom, shape.X_BS);
    const Color& c = shape.color;
    set(geom, "rgba", numbers_of(std::array{c[0], c[1], c[2], shape.visible ? c[3] : 0.5 * c[3]}));
    // MuJoCo's viewer shows groups 0 to 2 by default.
    set(geom, "group", !shape.visible ? "3" : shape.collide ? "0" : "2");
    if (!shape.collide) {
      set(geom, "contype", "0"), set(geom, "conaffinity", "0");
      return geom;
    }
    const ContactModel& contact = model_.contact(shape.material, shape.material);
    set(geom, "condim", fmt::format("{}", dimension_of(contact)));
    set(geom, "friction",
        numbers_of(std::array{contact.friction, contact.torsional_friction, contact.rolling_friction}));
    set_softness(geom, "", contact.firmness, true);
    has_bounces_ |= contact.restitution > 0.0 || contact.stiffness.has_value();
    return geom;
  }

  Element make_assets() {
    Element assets = make_xml("asset", {});
    std::sort(used_meshes_.begin(), used_meshes_.end());
    used_meshes_.erase(std::unique(used_meshes_.begin(), used_meshes_.end()), used_meshes_.end());
    for (const MeshId mesh : used_meshes_) {
      assets.children.push_back(
          make_xml("mesh", {{"name", fmt::format("mesh{}", index(mesh))}, {"file", meshes_.path_of(mesh)}}));
    }
    for (const ShapeModel* shape : heightmaps_) {
      const auto& geometry = std::get<HeightmapGeometry>(shape->geometry);
      const Heightmap& map = model_.heightmaps[index(geometry.heightmap)];
      const Vec3& size = geometry.size;
      assets.children.push_back(
          make_xml("hfield", {{"name", shape->name},
                              {"nrow", fmt::format("{}", map.rows)},
                              {"ncol", fmt::format("{}", map.columns)},
                              {"size", numbers_of(std::array{size.x() / 2.0, size.y() / 2.0, size.z(),
                                                             kBaseOfExtent * std::min(size.x(), size.y())})}}));
      report().lost.push_back(
          fmt::format("heights of terrain '{}': the file has a flat field of its size", shape->name));
    }
    return assets;
  }

  void add_exclusions(Element& root) {
    if (model_.excluded.empty()) return;
    Element contact = make_xml("contact", {});
    for (const auto& [a, b] : model_.excluded) {
      contact.children.push_back(
          make_xml("exclude", {{"body1", model_.body(a).name}, {"body2", model_.body(b).name}}));
    }
    root.children.push_back(std::move(contact));
  }

  void add_equalities(Element& root) {
    Element equality = make_xml("equality", {});
    for (const LoopModel& loop : model_.loops) {
      const SiteModel &a = model_.site(loop.a), &b = model_.site(loop.b);
      const auto add = [&](const std::string& name, const char* kind, const Vec3& anchor) {
        Element element = make_xml(kind, {{"name", name}, {"body1", model_.body(a.body).name}});
        if (b.body != kWorldBody) set(element, "body2", model_.body(b.body).name);
        if (std::string_view(kind) == "connect") set(element, "anchor", numbers_text(anchor));
        set_softness(element, "", loop.firmness, false);
        equality.children.push_back(std::move(element));
      };
      if (loop.type == LoopType::kWeld) {
        add(loop.name, "weld", Vec3::Zero());
      } else if (loop.type == LoopType::kPoint) {
        add(loop.name, "connect", a.X_BS.p);
      } else {
        add(loop.name + "/1", "connect", a.X_BS * Vec3(0.0, 0.0, -kHingeArm));
        add(loop.name + "/2", "connect", a.X_BS * Vec3(0.0, 0.0, kHingeArm));
        report().assumed.push_back(fmt::format("loop '{}': modelled by two points on its axis", loop.name));
      }
    }
    for (const CouplingModel& coupling : model_.couplings) {
      // In MuJoCo, both joints of a coupling are relative to their initial positions.
      Element element =
          make_xml("joint", {{"name", coupling.name},
                             {"joint1", model_.joint(coupling.joint).name},
                             {"joint2", model_.joint(coupling.follows).name},
                             {"polycoef", numbers_of(std::array{0.0, coupling.ratio, 0.0, 0.0, 0.0})}});
      set_softness(element, "", coupling.firmness, false);
      equality.children.push_back(std::move(element));
    }
    for (const TendonModel& tendon : model_.tendons) {
      if (!tendon.held) continue;
      // In MuJoCo, its length is relative to that at the start.
      double length = 0.0;
      for (const TendonModel::Pulley& pulley : tendon.pulleys)
        length += pulley.ratio * model_.joint(pulley.joint).initial_position[0];
      Element element =
          make_xml("tendon", {{"name", tendon.name},
                              {"tendon1", tendon.name},
                              {"polycoef", numbers_of(std::array{*tendon.held - length, 0.0, 0.0, 0.0, 0.0})}});
      set_softness(element, "", tendon.firmness, false);
      equality.children.push_back(std::move(element));
    }
    if (!equality.children.empty()) root.children.push_back(std::move(equality));
  }

  void add_springs_and_devices(Element& root) {
    Element tendon = make_xml("tendon", {}), actuator = make_xml("actuator", {}),
            sensor = make_xml("sensor", {});
    for (const SpringModel& spring : model_.springs) {
      Element line = make_xml("spatial", {{"name", spring.name}});
      if (spring.only_pulls) {
        // A spring on a tendon would also push; an actuator with a force of at most zero only pulls.
        actuator.children.push_back(
            make_xml("general", {{"name", spring.name},
                                 {"tendon", spring.name},
                                 {"gainprm", "0"},
                                 {"biastype", "affine"},
                                 {"biasprm", numbers_of(std::array{spring.stiffness * spring.length,
                                                                   -spring.stiffness, -spring.damping})},
                                 {"forcerange", numbers_of(std::array{-kStrongestPull, 0.0})}}));
      } else {
        set(line, "stiffness", format_number(spring.stiffness));
        set(line, "damping", format_number(spring.damping));
        set(line, "springlength", format_number(spring.length));
      }
      line.children = {make_xml("site", {{"site", model_.site(spring.a).name}}),
                       make_xml("site", {{"site", model_.site(spring.b).name}})};
      tendon.children.push_back(std::move(line));
    }
    for (const TendonModel& from : model_.tendons) tendon.children.push_back(make_tendon(from));
    for (const Robot& robot : scenario_.robots) {
      for (const Element& device : robot.devices.actuators) add_actuator(robot, device, actuator);
      for (const Element& device : robot.devices.sensors) add_sensor(robot, device, sensor);
    }
    for (Element* section : {&tendon, &actuator, &sensor}) {
      if (!section->children.empty()) root.children.push_back(std::move(*section));
    }
  }

  Element make_tendon(const TendonModel& from) {
    Element tendon = make_xml("fixed", {{"name", from.name}});
    if (from.damping != 0.0) set(tendon, "damping", format_number(from.damping));
    if (from.stiffness != 0.0) {
      set(tendon, "stiffness", format_number(from.stiffness));
      set(tendon, "springlength", format_number(from.rest));
    }
    if (from.lower) {
      set(tendon, "range", numbers_of(std::array{*from.lower, *from.upper}));
      set_softness(tendon, "limit", from.firmness, false);
    }
    for (const TendonModel::Pulley& pulley : from.pulleys)
      tendon.children.push_back(make_xml(
          "joint", {{"joint", model_.joint(pulley.joint).name}, {"coef", format_number(pulley.ratio)}}));
    return tendon;
  }

  static std::string text_of(const Element& device, std::string_view name) {
    const Attribute* found = device.find_attribute(name);
    return found == nullptr ? std::string() : found->value;
  }

  void add_actuator(const Robot& robot, const Element& device, Element& section) {
    const std::string name = robot.name + "/" + text_of(device, "name");
    const auto joint = model_.find_joint(robot.name + "/" + text_of(device, "joint"));
    const auto tendon = model_.find_tendon(robot.name + "/" + text_of(device, "tendon"));
    const std::optional<Drive> drive = read_drive(device);
    if (!drive || (!joint && !tendon)) {
      report().lost.push_back(fmt::format("actuator '{}', a <{}>", name, device.name));
      return;
    }
    Element element = make_xml("general", {{"name", name}});
    if (joint) set(element, "joint", model_.joint(*joint).name);
    if (tendon) set(element, "tendon", model_.tendon(*tendon).name);
    std::optional<double> limit;
    double gain = 1.0;
    const auto set_bias = [&](double stiffness, double damping) {
      set(element, "biastype", "affine");
      set(element, "biasprm", numbers_of(std::array{0.0, -stiffness, -damping}));
    };
    if (const auto* torque = std::get_if<TorqueActuatorConfig>(&*drive)) {
      limit = torque->limit;
    } else if (const auto* servo = std::get_if<PositionServoConfig>(&*drive)) {
      limit = servo->max_effort;
      gain = servo->stiffness;
      set_bias(servo->stiffness, servo->damping);
      if (servo->lower && servo->upper)
        set(element, "ctrlrange", numbers_of(std::array{*servo->lower, *servo->upper}));
      if (servo->max_speed) report().lost.push_back(fmt::format("max_speed of servo '{}'", name));
      if (servo->gain) report().lost.push_back(fmt::format("gain of servo '{}'", name));
    } else if (const auto* speed_servo = std::get_if<SpeedServoConfig>(&*drive)) {
      limit = speed_servo->max_effort;
      gain = speed_servo->gain;
      set_bias(0.0, speed_servo->gain);
    }
    set(element, "gainprm", format_number(gain));
    if (limit && *limit > 0.0) set(element, "forcerange", numbers_of(std::array{-*limit, *limit}));
    if (device.find_attribute("initial") != nullptr)
      report().lost.push_back(fmt::format("initial command of actuator '{}'", name));
    section.children.push_back(std::move(element));
  }

  void add_sensor(const Robot& robot, const Element& device, Element& section) {
    const std::string name = robot.name + "/" + text_of(device, "name");
    const std::string joint = robot.name + "/" + text_of(device, "joint"),
                      site = robot.name + "/" + text_of(device, "site");
    if (device.name == "joint_state" && model_.find_joint(joint)) {
      section.children.push_back(make_xml("jointpos", {{"name", name + "/angle"}, {"joint", joint}}));
      section.children.push_back(make_xml("jointvel", {{"name", name + "/speed"}, {"joint", joint}}));
    } else if ((device.name == "gyro" || device.name == "accelerometer") && model_.find_site(site)) {
      section.children.push_back(make_xml(device.name, {{"name", name}, {"site", site}}));
    } else {
      report().lost.push_back(fmt::format("sensor '{}', a <{}>", name, device.name));
    }
  }

  /// MuJoCo's default initial position is ours; velocities would need a keyframe.
  void report_start() {
    bool is_weighed_elsewhere = false;
    for (const JointModel& joint : model_.joints) {
      const bool has_reference = joint.type == JointType::kHinge || joint.type == JointType::kSlide;
      is_weighed_elsewhere |= has_reference && own_options<MujocoJointOptions>(joint.firmness.own).reference !=
                                                   joint.initial_position[0];
      if (std::any_of(joint.initial_velocity.begin(), joint.initial_velocity.end(),
                      [](double v) { return v != 0.0; }))
        report().lost.push_back(fmt::format("joint '{}': its initial velocity", joint.name));
    }
    if (is_weighed_elsewhere)
      report().assumed.push_back(
          "constraint weights are computed at the initial position, not at the references");
  }

  void report_losses() {
    report().read.push_back(fmt::format("{} bodies with {} joints and {} shapes", model_.bodies.size() - 1,
                                        model_.joints.size(), model_.shapes.size()));
    if (model_.materials.size() > 1)
      report().lost.push_back("friction between different materials: MuJoCo uses the larger of the two");
    for (const ContactModel& contact : model_.contacts) {
      if (contact.collide) continue;
      report().lost.push_back("pairs of materials that do not collide");
      break;
    }
    if (has_bounces_) report().lost.push_back("restitution and stiffness of materials");
    const Medium& medium = model_.medium;
    if (medium.air_density > 0.0 || medium.water_level) report().lost.push_back("air and water");
    report_environment(scenario_, report());
  }

  const Scenario& scenario_;
  Model model_;
  MujocoOptions options_;
  MeshWriter meshes_;
  std::string folder_;  // of the files beside the main one
  int included_files_ = 0;
  Exported exported_;
  std::vector<MeshId> used_meshes_;
  std::vector<const ShapeModel*> heightmaps_;
  bool has_bounces_ = false;
};

}  // namespace

Exported export_mjcf(const ExportSource& source) {
  return MjcfExporter(source).run();
}

}  // namespace lockstep
