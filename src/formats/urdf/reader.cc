#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "formats/common/source_tree.h"
#include "formats/common/xml_values.h"
#include "formats/urdf/interfaces.h"
#include "formats/urdf/urdf.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr std::array<std::pair<std::string_view, UrdfJointType>, 7> kJointTypes = {{
    {"fixed", UrdfJointType::kFixed},
    {"revolute", UrdfJointType::kRevolute},
    {"continuous", UrdfJointType::kContinuous},
    {"prismatic", UrdfJointType::kPrismatic},
    {"planar", UrdfJointType::kPlanar},
    {"floating", UrdfJointType::kFloating},
    {"spherical", UrdfJointType::kSpherical},
}};

/// Attributes of known elements. Anything else may be a typing mistake.
struct KnownElement {
  std::string_view name;
  std::string_view attributes;
};
constexpr std::array kKnownElements = {
    KnownElement{"axis", "xyz rpy"},
    KnownElement{"origin", "xyz rpy"},
    KnownElement{"limit", "lower upper effort velocity"},
    KnownElement{"mimic", "joint multiplier offset"},
    KnownElement{"dynamics", "damping friction armature"},
    KnownElement{"inertia", "ixx ixy ixz iyy iyz izz"},
    KnownElement{"mass", "value"},
    KnownElement{"box", "size"},
    KnownElement{"sphere", "radius"},
    KnownElement{"cylinder", "radius length"},
    KnownElement{"capsule", "radius length"},
    KnownElement{"mesh", "filename scale"},
    KnownElement{"joint", "name type"},
    KnownElement{"link", "name type"},
};

/// The attributes of a known element; none for others.
std::vector<std::string> attributes_of(std::string_view element) {
  std::vector<std::string> names;
  for (const KnownElement& known : kKnownElements) {
    if (known.name != element) continue;
    std::string_view rest = known.attributes;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      names.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return names;
}

/// Stands for an infinite limit if the other one of the joint is finite, rad or m.
constexpr double kFarAway = 1e6;

bool has_axis(UrdfJointType type) {
  return type != UrdfJointType::kFixed && type != UrdfJointType::kFloating && type != UrdfJointType::kSpherical;
}

class UrdfReader {
 public:
  UrdfReader(FormatReport& report, Diagnostics& diagnostics)
      : report_(report), diagnostics_(diagnostics), values_(diagnostics, report) {}

  UrdfRobot read(const Element& root) {
    UrdfRobot robot{.place = root.place,
                    .name = XmlValues::text(root, "name"),
                    .links = {},
                    .joints = {},
                    .interfaces = {}};
    for (const Element& child : root.children) {
      if (child.name == "material") read_material(child);
    }
    bool has_xacro = XmlValues::text(root, "xmlns:xacro") != "";
    for (const Element& child : root.children) {
      if (child.name == "link") {
        robot.links.push_back(read_link(child));
      } else if (child.name == "joint") {
        robot.joints.push_back(read_joint(child));
      } else if (child.name.starts_with("xacro:")) {
        diagnostics_.error(child.place, "<{}> is a macro; read the file with --format xacro", child.name);
        has_xacro = false;
      } else if (child.name == "transmission" || child.name == "ros2_control") {
        read_interfaces(child, robot.interfaces, report_);
      } else if (child.name != "material") {
        ++ignored_["<" + child.name + ">"];
      }
    }
    if (robot.links.empty() && !diagnostics_.has_errors()) {
      diagnostics_.error(
          root.place, "the robot has no <link>{}",
          has_xacro ? "; the file has only leftovers of xacro: expand its .xacro file again" : "");
    }
    for (const std::string& text : values_.substitutions())
      report_.assumed.push_back(fmt::format("'{}' is replaced by its default: the variable is not set", text));
    for (const auto& [name, count] : ignored_)
      report_.lost.push_back(
          fmt::format("{}{}: ignored", name, count == 1 ? "" : fmt::format(" ({} times)", count)));
    return robot;
  }

 private:
  /// Typing mistakes such as <axis xzy="…">.
  void check_attributes(const Element& element) {
    const std::vector<std::string> names = attributes_of(element.name);
    if (names.empty()) return;
    for (const Attribute& attribute : element.attributes) {
      if (std::find(names.begin(), names.end(), attribute.name) != names.end()) continue;
      report_.suspicious.push_back(fmt::format("{}: <{}> has an attribute '{}', which is ignored{}",
                                               to_string(attribute.place), element.name,
                                               xml::shown(attribute.name), suggest(attribute.name, names)));
    }
  }

  void ignore(const Element& parent, const Element& child) {
    ++ignored_["<" + child.name + "> of <" + parent.name + ">"];
  }

  /// The children by name; those not in `known` are reported.
  void check_children(const Element& element, std::initializer_list<std::string_view> known) {
    for (const Element& child : element.children) {
      if (std::find(known.begin(), known.end(), child.name) == known.end()) ignore(element, child);
      check_attributes(child);
    }
  }

  void read_material(const Element& element) {
    const std::string name = XmlValues::text(element, "name");
    if (const auto color = read_color(element); color && !name.empty()) materials_.emplace(name, *color);
    if (find_child(element, "texture") != nullptr) ++ignored_["<texture> of <material>"];
  }

  std::optional<Color> read_color(const Element& material) {
    const Element* color = find_child(material, "color");
    if (color == nullptr) return std::nullopt;
    const auto rgba = values_.numbers(*color, "rgba", 3, 4);
    if (!rgba) return std::nullopt;
    Color result{};
    for (std::size_t i = 0; i < 4; ++i) result[i] = i < rgba->size() ? std::clamp((*rgba)[i], 0.0, 1.0) : 1.0;
    return result;
  }

  Pose read_origin(const Element& element) {
    const Element* origin = find_child(element, "origin");
    if (origin == nullptr) return {};
    return {values_.vector(*origin, "xyz", Vec3::Zero()),
            from_rpy(values_.vector(*origin, "rpy", Vec3::Zero()))};
  }

  UrdfLink read_link(const Element& element) {
    UrdfLink link{.place = element.place,
                  .name = values_.needed_text(element, "name"),
                  .inertial = {},
                  .visuals = {},
                  .collisions = {},
                  .contact = {}};
    check_attributes(element);
    check_children(element, {"inertial", "visual", "collision", "contact"});
    if (!names_.insert("link " + link.name).second)
      diagnostics_.error(element.place, "there is another link '{}'", xml::shown(link.name));
    for (const Element& child : element.children) {
      if (child.name == "inertial") link.inertial = read_inertial(child);
      if (child.name == "contact") link.contact = read_contact(child);
      if (child.name == "visual" || child.name == "collision") {
        auto& shapes = child.name == "visual" ? link.visuals : link.collisions;
        if (auto shape = read_shape(child, link.name)) shapes.push_back(std::move(*shape));
      }
    }
    return link;
  }

  UrdfInertial read_inertial(const Element& element) {
    check_children(element, {"origin", "mass", "inertia"});
    UrdfInertial inertial{
        .place = element.place, .mass = 0.0, .pose = read_origin(element), .inertia = Mat3::Zero()};
    if (const Element* mass = find_child(element, "mass")) inertial.mass = values_.number(*mass, "value", 0.0);
    if (const Element* inertia = find_child(element, "inertia")) {
      const auto entry = [&](const char* name) { return values_.number(*inertia, name, 0.0); };
      const double xy = entry("ixy"), xz = entry("ixz"), yz = entry("iyz");
      inertial.inertia << entry("ixx"), xy, xz, xy, entry("iyy"), yz, xz, yz, entry("izz");
    }
    return inertial;
  }

  /// <contact> of Bullet. Its damping and error reduction are not those of a material here.
  Material read_contact(const Element& element) {
    Material material;
    material.place = element.place;
    for (const Element& child : element.children) {
      const auto set = [&](auto& target, double most) {
        if (const auto value = values_.number(child, "value")) target = std::clamp(*value, 0.0, most);
      };
      if (child.name == "lateral_friction") {
        set(material.friction, XmlValues::kMax);
      } else if (child.name == "rolling_friction") {
        set(material.rolling_friction, XmlValues::kMax);
      } else if (child.name == "spinning_friction") {
        set(material.torsional_friction, XmlValues::kMax);
      } else if (child.name == "restitution") {
        set(material.restitution, 1.0);
      } else if (child.name == "stiffness") {
        set(material.stiffness, XmlValues::kMax);
        if (material.stiffness == 0.0) material.stiffness.reset();
      } else {
        ignore(element, child);
      }
    }
    return material;
  }

  std::optional<UrdfShape> read_shape(const Element& element, const std::string& link) {
    check_children(element, {"origin", "geometry", "material"});
    UrdfShape shape{
        .place = element.place, .geometry = {}, .mesh = {}, .pose = read_origin(element), .color = {}};
    if (const Element* material = find_child(element, "material")) {
      shape.color = read_color(*material);
      if (shape.color) {
        materials_.emplace(XmlValues::text(*material, "name"), *shape.color);
      } else if (const auto known = materials_.find(XmlValues::text(*material, "name"));
                 known != materials_.end()) {
        shape.color = known->second;
      }
      if (find_child(*material, "texture") != nullptr) ++ignored_["<texture> of <material>"];
    }
    const Element* geometry = find_child(element, "geometry");
    if (geometry == nullptr || geometry->children.empty()) {
      report_.suspicious.push_back(
          fmt::format("{}: a <{}> of link '{}' has no geometry", to_string(element.place), element.name, link));
      return std::nullopt;
    }
    check_children(*geometry, {"box", "sphere", "cylinder", "capsule", "mesh"});
    for (const Element& form : geometry->children) {
      if (read_geometry(form, shape)) return shape;
      if (!attributes_of(form.name).empty()) {
        report_.suspicious.push_back(fmt::format("{}: a <{}> of link '{}' has no size; it is omitted",
                                                 to_string(form.place), form.name, link));
      }
    }
    return std::nullopt;
  }

  bool read_geometry(const Element& form, UrdfShape& shape) {
    const auto size = [&](const char* name) { return values_.number(form, name, 0.0); };
    if (form.name == "box") {
      const Vec3 edges = values_.vector(form, "size", Vec3::Zero());
      shape.geometry = Box{edges};
      return (edges.array() > 0.0).all();
    }
    if (form.name == "sphere") {
      shape.geometry = Sphere{size("radius")};
      return std::get<Sphere>(shape.geometry).radius > 0.0;
    }
    if (form.name == "cylinder" || form.name == "capsule") {
      const double radius = size("radius"), length = size("length");
      if (form.name == "capsule") {
        shape.geometry = Capsule{radius, length};
      } else {
        shape.geometry = Cylinder{radius, length};
      }
      return radius > 0.0 && length > 0.0;
    }
    if (form.name != "mesh") return false;
    shape.mesh = values_.needed_text(form, "filename");
    const Vec3 scale = values_.vector(form, "scale", Vec3::Ones());
    shape.geometry = MeshFile{.src = {}, .scale = scale};
    return scale.prod() != 0.0;
  }

  UrdfJoint read_joint(const Element& element) {
    UrdfJoint joint{.place = element.place,
                    .name = values_.needed_text(element, "name"),
                    .parent = {},
                    .child = {},
                    .pose = read_origin(element),
                    .mimic = {}};
    check_attributes(element);
    check_children(element,
                   {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "joint_properties"});
    if (!names_.insert("joint " + joint.name).second)
      diagnostics_.error(element.place, "there is another joint '{}'", xml::shown(joint.name));
    joint.type = read_type(element);
    for (const auto& [name, target] : {std::pair("parent", &joint.parent), std::pair("child", &joint.child)}) {
      if (const Element* end = find_child(element, name)) {
        *target = values_.needed_text(*end, "link");
      } else {
        diagnostics_.error(element.place, "joint '{}' has no <{}>", xml::shown(joint.name), name);
      }
    }
    if (const Element* axis = find_child(element, "axis")) {
      joint.axis = values_.vector(*axis, "xyz", Vec3::UnitX());
      if (joint.axis.norm() < 1e-9) {
        joint.axis = Vec3::UnitX();
        if (has_axis(joint.type)) {
          report_.suspicious.push_back(fmt::format("{}: joint '{}': its axis has no length; 1 0 0 is used",
                                                   to_string(axis->place), xml::shown(joint.name)));
        }
      }
    }
    read_limits(element, joint);
    for (const char* name : {"dynamics", "joint_properties"}) {
      if (const Element* dynamics = find_child(element, name)) {
        joint.damping = read_loss(*dynamics, "damping", joint.name);
        joint.friction = read_loss(*dynamics, "friction", joint.name);
        joint.armature = read_loss(*dynamics, "armature", joint.name);
      }
    }
    if (const Element* mimic = find_child(element, "mimic")) {
      joint.mimic = UrdfMimic{.joint = values_.needed_text(*mimic, "joint"),
                              .multiplier = values_.number(*mimic, "multiplier", 1.0),
                              .offset = values_.number(*mimic, "offset", 0.0)};
    }
    return joint;
  }

  double read_loss(const Element& element, const char* name, const std::string& joint) {
    const double value = values_.number(element, name, 0.0);
    if (value >= 0.0) return value;
    report_.suspicious.push_back(
        fmt::format("{}: joint '{}' has a {} of {}; 0 is used", to_string(element.place), joint, name, value));
    return 0.0;
  }

  UrdfJointType read_type(const Element& element) {
    const std::string type = values_.needed_text(element, "type");
    std::vector<std::string> names;
    for (const auto& [name, meaning] : kJointTypes) {
      if (name == type) return meaning;
      names.emplace_back(name);
    }
    if (!type.empty()) {
      diagnostics_.error(element.place, "{}: unknown type '{}'{}", subject_of(element), xml::shown(type),
                         suggest(type, names));
    }
    return UrdfJointType::kFixed;
  }

  void read_limits(const Element& element, UrdfJoint& joint) {
    const bool is_limited = joint.type == UrdfJointType::kRevolute || joint.type == UrdfJointType::kPrismatic;
    const Element* limit = find_child(element, "limit");
    if (limit == nullptr) {
      if (is_limited)
        report_.assumed.push_back(fmt::format("joint '{}' has no limits: the file has no <limit>", joint.name));
      return;
    }
    joint.effort = read_most(*limit, "effort", joint.name);
    joint.velocity = read_most(*limit, "velocity", joint.name);
    if (joint.velocity == 0.0) {
      joint.velocity.reset();
      report_.suspicious.push_back(fmt::format("{}: joint '{}' has a velocity limit of 0; it is ignored",
                                               to_string(limit->place), joint.name));
    }
    if (is_limited) read_range(*limit, joint);
  }

  /// A limit of an effort or speed, at least 0; none if it is infinite.
  std::optional<double> read_most(const Element& limit, const char* name, const std::string& joint) {
    const std::optional<double> value = values_.limit(limit, name);
    if (!value || std::isinf(*value)) return std::nullopt;
    if (*value >= 0.0) return value;
    report_.suspicious.push_back(fmt::format("{}: joint '{}' has a limit of its {} of {}; {} is used",
                                             to_string(limit.place), joint, name, *value, -*value));
    return -*value;
  }

  void read_range(const Element& limit, UrdfJoint& joint) {
    const double lower = values_.limit(limit, "lower").value_or(0.0);
    const double upper = values_.limit(limit, "upper").value_or(0.0);
    if (!(lower < upper)) {
      report_.suspicious.push_back(fmt::format("{}: joint '{}' has limits {} to {}; they are ignored",
                                               to_string(limit.place), joint.name, lower, upper));
      return;
    }
    if (std::isinf(lower) || std::isinf(upper)) {
      const bool has_none = std::isinf(lower) && std::isinf(upper);
      report_.assumed.push_back(fmt::format("{}: joint '{}' has {}: {} to {} in the file",
                                            to_string(limit.place), joint.name,
                                            has_none ? "no limits" : "a limit on one side", lower, upper));
      if (has_none) return;
    }
    joint.lower = std::max(lower, -kFarAway);
    joint.upper = std::min(upper, kFarAway);
  }

  FormatReport& report_;
  Diagnostics& diagnostics_;
  XmlValues values_;
  std::map<std::string, Color> materials_;
  std::map<std::string, int> ignored_;
  std::set<std::string> names_;
};

}  // namespace

Quat from_rpy(const Vec3& rpy) {
  return Quat(Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
              Eigen::AngleAxisd(rpy.x(), Vec3::UnitX()))
      .normalized();
}

UrdfRobot read_urdf(const ImportSource& source, FormatReport& report) {
  const Element root = read_tree(source, report);
  if (root.name != "robot")
    throw_user_error(root.place, "the root is <{}>; expected <robot> of URDF", root.name);
  Diagnostics diagnostics;
  UrdfRobot robot = UrdfReader(report, diagnostics).read(root);
  diagnostics.throw_if_errors();
  return robot;
}

}  // namespace lockstep
