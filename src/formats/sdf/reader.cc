#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "formats/sdf/frames.h"
#include "formats/sdf/sdf.h"
#include "formats/sdf/tree.h"
#include "geometry/mass.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr double kDefaultGravity = -9.8;  // m/s^2, of a world without <gravity>
constexpr std::size_t kMaxSdfLinks = 5'000;

/// Before 1.5, axes were in the frame of the model.
bool has_axes_in_model(const Element& model) {
  const std::string version = XmlValues::text(model, kSdfVersion);
  const std::size_t dot = version.find('.');
  int minor = 99;
  if (dot != std::string::npos)
    std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return version.starts_with("1.") && minor < 5;
}

class SdfReader {
 public:
  SdfReader(FormatReport& report, Diagnostics& diagnostics)
      : report_(report), diagnostics_(diagnostics), values_(diagnostics) {}

  SdfWorld read(const Element& root) {
    SdfWorld world{.place = root.place, .name = {}, .gravity = {}, .step = {}, .models = {}};
    const Element* scope = find_child(root, "world");
    for (const Element& child : root.children) {
      const bool is_read = &child == scope || (scope == nullptr && child.name == "model");
      if (!is_read) ++ignored_["<" + child.name + ">"];
    }
    if (scope != nullptr) {
      world.name = XmlValues::text(*scope, "name");
      read_world(*scope, world);
    } else {
      scope = &root;
    }
    read_models(*scope, world);
    if (world.models.empty() && !diagnostics_.has_errors())
      diagnostics_.error(root.place, "the file has no <model>{}",
                         find_child(root, "world") != nullptr ? " in its <world>" : "");
    for (const auto& [name, count] : ignored_)
      report_.lost.push_back(
          fmt::format("{}{}: ignored", name, count == 1 ? "" : fmt::format(" ({} times)", count)));
    return world;
  }

 private:
  void ignore_others(const Element& element, std::initializer_list<std::string_view> known) {
    for (const Element& child : element.children) {
      if (std::find(known.begin(), known.end(), child.name) == known.end())
        ++ignored_["<" + child.name + "> of <" + element.name + ">"];
    }
  }

  void read_world(const Element& element, SdfWorld& world) {
    ignore_others(element, {"model", "joint", "frame", "gravity", "physics", "magnetic_field", "atmosphere",
                            "scene", "gui", "light", "spherical_coordinates", "audio"});
    for (const Element& child : element.children) {
      if (child.name == "joint") ++ignored_["<joint> of <world>"];
      if (child.name == "light" || child.name == "scene" || child.name == "gui")
        ++ignored_["<" + child.name + ">"];
    }
    world.gravity = values_.vector(element, "gravity", {0.0, 0.0, kDefaultGravity});
    if (const Element* physics = find_child(element, "physics")) {
      const double step = values_.number(*physics, "max_step_size", 0.0);
      constexpr double kMinStep = 1e-6, kMaxStep = 0.1;  // s
      if (step >= kMinStep && step <= kMaxStep) world.step = Duration{std::llround(step * 1e9)};
      if (step != 0.0 && !world.step)
        report_.suspicious.push_back(
            fmt::format("{}: a max_step_size of {} s is ignored", to_string(physics->place), step));
    }
  }

  void read_models(const Element& element, SdfWorld& world) {
    SdfScope scope(element, "", values_);
    diagnostics_.throw_if_errors();
    for (const Element& child : element.children) {
      if (child.name != "model") continue;
      SdfModel model{.place = child.place,
                     .name = XmlValues::text(child, "name"),
                     .links = {},
                     .joints = {},
                     .frames = {}};
      // Names in it do not have its own name in front.
      SdfScope inside(child, "", values_, 1);
      model.pose = scope.pose_of(child);
      model.is_static = values_.flag(child, "static", false);
      model.self_collide = values_.flag(child, "self_collide", false);
      read_model(inside, child, Pose{}, model);
      world.models.push_back(std::move(model));
    }
  }

  void read_model(SdfScope& scope, const Element& element, const Pose& X_TM, SdfModel& model) {
    ignore_others(element, {"pose", "static", "self_collide", "link", "joint", "frame", "model",
                            "allow_auto_disable", "enable_wind", "lockstep:armature"});
    for (const Element& child : element.children) {
      if (child.name == "link") model.links.push_back(read_link(scope, child, X_TM));
      if (model.links.size() > kMaxSdfLinks)
        throw_user_error(child.place, "the model has more than {} links", kMaxSdfLinks);
      if (child.name == "model") {
        SdfScope& nested = scope.model(XmlValues::text(child, "name"));
        read_model(nested, child, X_TM * scope.pose_of(child), model);
      }
    }
    for (const Element& child : element.children) {
      if (child.name == "joint") read_joint(scope, child, X_TM, model);
      if (child.name == "frame") read_frame(scope, child, X_TM, model);
    }
  }

  /// The pose of a part of a link, which may be relative to any frame of the model.
  Pose pose_in_link(SdfScope& scope, const Element& part, const Pose& X_ML) {
    const Pose raw = values_.pose(part);
    const std::string frame = SdfValues::pose_frame(part);
    return frame.empty() ? raw : X_ML.inverse() * scope.pose_of(frame, part.place) * raw;
  }

  SdfLink read_link(SdfScope& scope, const Element& element, const Pose& X_TM) {
    const Pose X_ML = scope.pose_of(element);
    SdfLink link{.place = element.place,
                 .name = scope.prefix() + XmlValues::text(element, "name"),
                 .pose = X_TM * X_ML,
                 .mass = {},
                 .visuals = {},
                 .collisions = {},
                 .sensors = {}};
    ignore_others(element, {"pose", "inertial", "visual", "collision", "sensor", "gravity", "self_collide",
                            "kinematic", "velocity_decay", "enable_wind", "must_be_base_link", "light"});
    if (!values_.flag(element, "gravity", true))
      report_.lost.push_back(fmt::format("link '{}': <gravity> false, it falls like the others", link.name));
    if (values_.flag(element, "kinematic", false))
      report_.lost.push_back(fmt::format("link '{}': <kinematic>, forces move it", link.name));
    for (const Element& child : element.children) {
      if (child.name == "inertial") read_inertial(child, link);
      if (child.name == "visual" || child.name == "collision") {
        auto& shapes = child.name == "visual" ? link.visuals : link.collisions;
        if (auto shape = read_shape(scope, child, X_ML, link.name)) shapes.push_back(std::move(*shape));
      }
      if (child.name == "sensor") link.sensors.push_back(read_sensor(scope, child, X_ML));
    }
    return link;
  }

  void read_inertial(const Element& element, SdfLink& link) {
    if (XmlValues::text(element, "auto") == "true" || XmlValues::text(element, "auto") == "1") {
      link.has_mass_of_shapes = true;
      const double density = values_.number(element, "density", 0.0);
      if (density > 0.0) density_of_[link.name] = density;
      return;
    }
    ignore_others(element, {"pose", "mass", "inertia", "density"});
    MassProperties mass{values_.number(element, "mass", 1.0), Vec3::Zero(), Mat3::Identity()};
    if (const Element* inertia = find_child(element, "inertia")) {
      const auto entry = [&](const char* name, double usual) { return values_.number(*inertia, name, usual); };
      const double xy = entry("ixy", 0.0), xz = entry("ixz", 0.0), yz = entry("iyz", 0.0);
      mass.inertia << entry("ixx", 1.0), xy, xz, xy, entry("iyy", 1.0), yz, xz, yz, entry("izz", 1.0);
    }
    if (mass.mass <= 0.0) {
      report_.suspicious.push_back(fmt::format("{}: link '{}' has a mass of {}; it is ignored",
                                               to_string(element.place), link.name, mass.mass));
      return;
    }
    link.mass = transformed(mass, values_.pose(element));
  }

  std::optional<SdfShape> read_shape(SdfScope& scope, const Element& element, const Pose& X_ML,
                                     const std::string& link) {
    ignore_others(element, {"pose", "geometry", "material", "surface", "max_contacts", "laser_retro", "density",
                            "cast_shadows", "transparency", "visibility_flags", "meta"});
    SdfShape shape{.place = element.place,
                   .name = XmlValues::text(element, "name"),
                   .geometry = {},
                   .mesh = {},
                   .radii = {},
                   .plane = {},
                   .pose = pose_in_link(scope, element, X_ML),
                   .color = read_color(element),
                   .density = {}};
    if (const double density = values_.number(element, "density", 0.0); density > 0.0) shape.density = density;
    if (!shape.density && density_of_.contains(link)) shape.density = density_of_.at(link);
    read_surface(element, shape);
    const Element* geometry = find_child(element, "geometry");
    const Element* form = nullptr;
    if (geometry != nullptr) {
      for (const Element& child : geometry->children) form = &child;
    }
    if (form == nullptr || form->name == "empty") return std::nullopt;
    if (read_geometry(*form, shape, link)) return shape;
    return std::nullopt;
  }

  bool read_geometry(const Element& form, SdfShape& shape, const std::string& link) {
    const auto size = [&](const char* name, double usual) { return values_.number(form, name, usual); };
    bool is_solid = true;
    if (form.name == "box") {
      const Vec3 edges = values_.vector(form, "size", Vec3::Ones());
      shape.geometry = Box{edges};
      is_solid = (edges.array() > 0.0).all();
    } else if (form.name == "sphere") {
      shape.geometry = Sphere{size("radius", 1.0)};
      is_solid = std::get<Sphere>(shape.geometry).radius > 0.0;
    } else if (form.name == "cylinder" || form.name == "capsule") {
      const double radius = size("radius", form.name == "cylinder" ? 1.0 : 0.5), length = size("length", 1.0);
      if (form.name == "cylinder") shape.geometry = Cylinder{radius, length};
      if (form.name == "capsule") shape.geometry = Capsule{radius, length};
      is_solid = radius > 0.0 && length > 0.0;
    } else if (form.name == "ellipsoid") {
      shape.radii = values_.vector(form, "radii", Vec3::Ones());
      is_solid = (shape.radii->array() > 0.0).all();
    } else if (form.name == "plane") {
      shape.plane = values_.vector(form, "normal", Vec3::UnitZ());
      is_solid = shape.plane->norm() > 1e-9;
    } else if (form.name == "mesh") {
      shape.mesh = SdfValues::text(form, "uri");
      if (shape.mesh.empty()) shape.mesh = SdfValues::text(form, "filename");
      if (shape.mesh.empty()) {
        diagnostics_.error(form.place, "<mesh> of link '{}' needs a <uri>", xml::shown(link));
        return false;
      }
      const Vec3 scale = values_.vector(form, "scale", Vec3::Ones());
      shape.geometry = MeshFile{.src = {}, .scale = scale};
      is_solid = scale.prod() != 0.0;
      if (find_child(form, "submesh") != nullptr)
        report_.lost.push_back(
            fmt::format("{}: <submesh> of link '{}': the whole mesh is used", to_string(form.place), link));
    } else {
      report_.lost.push_back(
          fmt::format("{}: <{}> of link '{}' is omitted", to_string(form.place), form.name, link));
      return false;
    }
    if (!is_solid && !diagnostics_.has_errors())
      report_.suspicious.push_back(fmt::format("{}: a <{}> of link '{}' has no size; it is omitted",
                                               to_string(form.place), form.name, link));
    return is_solid;
  }

  std::optional<Color> read_color(const Element& element) {
    const Element* material = find_child(element, "material");
    if (material == nullptr) return std::nullopt;
    for (const char* name : {"diffuse", "ambient"}) {
      const Element* color = find_child(*material, name);
      const auto rgba = color == nullptr ? std::nullopt : values_.numbers(*color, 3, 4);
      if (!rgba) continue;
      Color result{};
      for (std::size_t i = 0; i < 4; ++i) result[i] = i < rgba->size() ? std::clamp((*rgba)[i], 0.0, 1.0) : 1.0;
      result[3] *= 1.0 - std::clamp(values_.number(element, "transparency", 0.0), 0.0, 1.0);
      return result;
    }
    ++ignored_["<material> without a colour"];
    return std::nullopt;
  }

  void read_surface(const Element& element, SdfShape& shape) {
    if (const Element* ode = find_path(element, {"surface", "friction", "ode"})) {
      shape.friction = values_.number(*ode, "mu", 1.0);
      const double other = values_.number(*ode, "mu2", shape.friction);
      if (other != shape.friction) {
        ++ignored_["second coefficient of friction (mu2), which differs from the first"];
      }
    } else if (const Element* bullet = find_path(element, {"surface", "friction", "bullet"})) {
      shape.friction = values_.number(*bullet, "friction", 1.0);
    }
    if (const Element* bounce = find_path(element, {"surface", "bounce"}))
      shape.restitution = std::clamp(values_.number(*bounce, "restitution_coefficient", 0.0), 0.0, 1.0);
    constexpr double kMaxFriction = 1000.0;  // of a scenario
    const double possible = std::clamp(shape.friction, 0.0, kMaxFriction);
    if (possible != shape.friction) {
      report_.suspicious.push_back(
          fmt::format("{}: a friction of {}; {} is used", to_string(element.place), shape.friction, possible));
      shape.friction = possible;
    }
    for (const char* name : {"contact", "soft_contact"}) {
      if (find_path(element, {"surface", name}) != nullptr)
        ++ignored_["<" + std::string(name) + "> of <surface>"];
    }
    if (find_path(element, {"surface", "friction", "torsional"}) != nullptr)
      ++ignored_["<torsional> of <friction>"];
  }

  SdfSensor read_sensor(SdfScope& scope, const Element& element, const Pose& X_ML) {
    SdfSensor sensor{.place = element.place,
                     .name = XmlValues::text(element, "name"),
                     .type = XmlValues::text(element, "type"),
                     .pose = pose_in_link(scope, element, X_ML)};
    for (const char* name : {"ray", "lidar"}) {
      const Element* ray = find_child(element, name);
      if (ray == nullptr) continue;
      for (const char* direction : {"horizontal", "vertical"}) {
        const Element* scan = find_path(*ray, {"scan", direction});
        if (scan != nullptr) sensor.rays *= std::max(1.0, values_.number(*scan, "samples", 1.0));
      }
      if (const Element* range = find_child(*ray, "range")) {
        sensor.minimum = values_.number(*range, "min", 0.0);
        sensor.range = values_.limit(*range, "max").value_or(0.0);
      }
    }
    return sensor;
  }

  void read_joint(SdfScope& scope, const Element& element, const Pose& X_TM, SdfModel& model) {
    const std::string name = XmlValues::text(element, "name");
    SdfJoint joint{.place = element.place,
                   .name = scope.prefix() + name,
                   .parent = {},
                   .child = {},
                   .axes = {},
                   .sensors = {}};
    ignore_others(element,
                  {"pose", "parent", "child", "axis", "axis2", "physics", "sensor", "thread_pitch",
                   "gearbox_ratio", "gearbox_reference_body", "lockstep:armature", "screw_thread_pitch"});
    for (const char* end : {"parent", "child"}) {
      if (!SdfValues::text(element, end).empty()) continue;
      diagnostics_.error(element.place, "joint '{}' has no <{}>", xml::shown(name), end);
      return;
    }
    joint.parent = scope.link_of(SdfValues::text(element, "parent"), element.place);
    joint.child = scope.link_of(SdfValues::text(element, "child"), element.place);
    if (joint.child.empty() || joint.child == joint.parent) {
      diagnostics_.error(element.place, "joint '{}': its child is {}", xml::shown(name),
                         joint.child.empty() ? "the world" : "its parent");
      return;
    }
    const auto child = std::find_if(model.links.begin(), model.links.end(),
                                    [&](const SdfLink& each) { return each.name == joint.child; });
    LOCKSTEP_CHECK(child != model.links.end());
    const Pose X_MC = X_TM.inverse() * child->pose;
    const Pose X_MJ = scope.pose_of(element);
    joint.pose = X_MC.inverse() * X_MJ;
    joint.armature = std::max(0.0, values_.number(element, "lockstep:armature", 0.0));
    const std::size_t axes = read_type(element, joint);
    for (std::size_t i = 0; i < axes; ++i) joint.axes.push_back(read_axis(scope, element, i, X_MJ.q, X_MC.q));
    for (const Element& each : element.children) {
      if (each.name == "sensor") joint.sensors.push_back(read_sensor(scope, each, X_MC));
    }
    model.joints.push_back(std::move(joint));
  }

  /// The number of axes.
  std::size_t read_type(const Element& element, SdfJoint& joint) {
    const std::string type = XmlValues::text(element, "type");
    struct Row {
      std::string_view name;
      SdfJointType type;
      std::size_t axes;
      std::string_view lost;
    };
    static constexpr std::array<Row, 9> kTypes = {
        {{"fixed", SdfJointType::kFixed, 0, ""},
         {"revolute", SdfJointType::kRevolute, 1, ""},
         {"continuous", SdfJointType::kRevolute, 1, ""},
         {"prismatic", SdfJointType::kPrismatic, 1, ""},
         {"ball", SdfJointType::kBall, 0, ""},
         {"universal", SdfJointType::kUniversal, 2, ""},
         {"revolute2", SdfJointType::kUniversal, 2, ""},
         {"screw", SdfJointType::kRevolute, 1, "its thread: it only turns"},
         {"gearbox", SdfJointType::kRevolute, 1, "its gear ratio: it turns freely"}}};
    std::vector<std::string> names;
    for (const Row& row : kTypes) {
      names.emplace_back(row.name);
      if (row.name != type) continue;
      joint.type = row.type;
      if (!row.lost.empty())
        report_.lost.push_back(fmt::format("{} joint '{}': {}", type, joint.name, row.lost));
      return row.axes;
    }
    diagnostics_.error(element.place, "{}: unknown type '{}'{}", subject_of(element), xml::shown(type),
                       suggest(type, names));
    return 0;
  }

  SdfAxis read_axis(SdfScope& scope, const Element& joint, std::size_t index, const Quat& R_MJ,
                    const Quat& R_MC) {
    SdfAxis result;
    const Element* axis = find_child(joint, index == 0 ? "axis" : "axis2");
    Vec3 direction = index == 0 ? Vec3::UnitZ() : Vec3::UnitY();
    Quat R_MA = R_MJ;  // axes of the direction
    if (axis != nullptr) {
      direction = values_.vector(*axis, "xyz", direction);
      const Element* xyz = find_child(*axis, "xyz");
      const std::string frame = xyz == nullptr ? "" : XmlValues::text(*xyz, "expressed_in");
      if (!frame.empty()) R_MA = scope.pose_of(frame, xyz->place).q;
      if (frame.empty() &&
          (values_.flag(*axis, "use_parent_model_frame", false) || has_axes_in_model(scope.element())))
        R_MA = Quat::Identity();
      if (direction.norm() < 1e-9)
        diagnostics_.error(axis->place, "{}: the axis has no length", subject_of(joint));
      read_limits(*axis, joint, result);
      if (const Element* dynamics = find_child(*axis, "dynamics")) {
        result.damping = std::max(0.0, values_.number(*dynamics, "damping", 0.0));
        result.friction = std::max(0.0, values_.number(*dynamics, "friction", 0.0));
        result.stiffness = std::max(0.0, values_.number(*dynamics, "spring_stiffness", 0.0));
        result.rest = values_.number(*dynamics, "spring_reference", 0.0);
      }
      if (const Element* mimic = find_child(*axis, "mimic"))
        result.mimic = SdfMimic{.joint = scope.prefix() + XmlValues::text(*mimic, "joint"),
                                .multiplier = values_.number(*mimic, "multiplier", 1.0),
                                .offset = values_.number(*mimic, "offset", 0.0),
                                .reference = values_.number(*mimic, "reference", 0.0)};
    }
    result.direction = R_MC.conjugate() * (R_MA * direction);
    return result;
  }

  void read_limits(const Element& axis, const Element& joint, SdfAxis& result) {
    const Element* limit = find_child(axis, "limit");
    if (limit == nullptr) return;
    if (const auto effort = values_.limit(*limit, "effort"); effort && *effort > 0.0) result.effort = effort;
    if (XmlValues::text(joint, "type") == "continuous") return;
    const auto lower = values_.limit(*limit, "lower"), upper = values_.limit(*limit, "upper");
    if (!lower && !upper) return;
    constexpr double kFar = 1e5;  // rad or m; a limit needs both ends
    if (lower.value_or(-kFar) < upper.value_or(kFar)) {
      result.lower = lower.value_or(-kFar);
      result.upper = upper.value_or(kFar);
    } else {
      report_.suspicious.push_back(fmt::format("{}: {} has limits {} to {}; they are ignored",
                                               to_string(limit->place), subject_of(joint),
                                               lower.value_or(-kFar), upper.value_or(kFar)));
    }
  }

  void read_frame(SdfScope& scope, const Element& element, const Pose& X_TM, SdfModel& model) {
    const std::string name = XmlValues::text(element, "name");
    const std::string link = scope.link_of(name, element.place);
    const Pose X_TF = X_TM * scope.pose_of(element);
    for (const SdfLink& each : model.links) {
      if (each.name == link)
        model.frames.push_back({.place = element.place,
                                .name = scope.prefix() + name,
                                .link = link,
                                .pose = each.pose.inverse() * X_TF});
    }
  }

  FormatReport& report_;
  Diagnostics& diagnostics_;
  SdfValues values_;
  std::map<std::string, int> ignored_;
  std::map<std::string, double> density_of_;  // by link, if its mass is that of its shapes
};

}  // namespace

SdfWorld read_sdf(const ImportSource& source, FormatReport& report) {
  const Element root = read_sdf_tree(source, report);
  Diagnostics diagnostics;
  SdfWorld world = SdfReader(report, diagnostics).read(root);
  diagnostics.throw_if_errors();
  return world;
}

}  // namespace lockstep
