#include "design/result.h"

#include <filesystem>
#include <map>
#include <set>

#include "base/overloaded.h"
#include "design/body_mass.h"
#include "design/parts.h"
#include "geometry/fit.h"
#include "geometry/stl_writer.h"
#include "scenario/base64.h"

namespace lockstep {
namespace {

/// Makes the bodies of the assembly.
class ResultBuilder {
 public:
  ResultBuilder(const Design& design, std::string folder, const ReadFile& read_file)
      : design_(design),
        assembly_(*design.assembly),
        folder_(std::move(folder)),
        read_file_(read_file),
        masses_(design) {}

  ModelResult run() {
    result_.scenario = design_.environment;
    Robot robot{.place = {}, .name = design_.robot, .pose = design_.pose};
    for (const DesignBody& link : design_.links) robot.links.push_back(make_link(link));
    robot.loops = design_.loops;
    robot.devices = design_.devices;
    if (!robot.links.empty()) result_.scenario.robots.push_back(std::move(robot));
    for (const DesignBody& object : design_.objects) result_.scenario.objects.push_back(make_object(object));
    take_sources();
    diagnostics_.throw_if_errors();
    return std::move(result_);
  }

 private:
  Vec3 origin_of(std::string_view link) const {
    for (const DesignBody& body : design_.links) {
      if (body.name == link) return body.origin;
    }
    return Vec3::Zero();
  }

  Link make_link(const DesignBody& body) {
    Link link{.place = body.place, .name = body.name, .parent = body.parent};
    link.pose.p = body.origin - origin_of(body.parent);
    link.joint = body.joint;
    if (link.joint) link.joint->position -= body.origin;
    if (link.joint && link.joint->type != JointType::kHinge && link.joint->type != JointType::kBall)
      link.joint->position = Vec3::Zero();
    fill(body, link);
    return link;
  }

  Object make_object(const DesignBody& body) {
    Object object{.place = body.place, .name = body.name, .is_static = body.is_static};
    object.pose = design_.pose * Pose{body.origin, Quat::Identity()};
    fill(body, object);
    return object;
  }

  /// Common to links and objects.
  template <typename Body>
  void fill(const DesignBody& from, Body& body) {
    for (const int part : from.parts) body.shapes.push_back(make_visible(from, part));
    BodyResult& said = result_.bodies.emplace_back();
    said.name = from.name;
    said.parts = from.parts.size();
    said.mass = masses_.calc(from, diagnostics_, result_.assumed);
    said.collision = add_collision(from, body.shapes);
    if (said.mass.mass > 0.0) {
      const Mat3& I = said.mass.inertia;
      body.inertial = Inertial{.place = from.place,
                               .mass = said.mass.mass,
                               .center = said.mass.center - from.origin,
                               .diagonal = I.diagonal(),
                               .products = {I(0, 1), I(0, 2), I(1, 2)}};
    } else if (!from.parts.empty()) {
      body.inertial = Inertial{.place = from.place};  // never moves: the mass has no effect
    }
    for (Site site : from.sites) {
      site.pose.p -= from.origin;
      body.sites.push_back(std::move(site));
    }
  }

  std::string add_mesh(const std::string& wanted, const Mesh& mesh) {
    std::string name = plain_name(wanted);
    for (int number = 2; !file_names_.insert(name).second; ++number)
      name = fmt::format("{}-{}", plain_name(wanted), number);
    std::string path = fmt::format("{}/{}.stl", folder_, name);
    result_.files.push_back({path, write_stl(mesh, 1.0, name)});
    return path;
  }

  Shape make_visible(const DesignBody& body, int index) {
    const Part& part = assembly_.parts[static_cast<std::size_t>(index)];
    const auto [mesh, is_new] = meshes_.emplace(part.shape, "");
    if (is_new) {
      // Files name solids "SOLID"; the group above has a useful name.
      const bool has_group = part.parent >= 0 && part.label.find("SOLID") != std::string::npos;
      const std::string& label =
          has_group ? assembly_.parts[static_cast<std::size_t>(part.parent)].label : part.label;
      mesh->second = add_mesh(label, assembly_.shapes[static_cast<std::size_t>(part.shape)].mesh);
    }
    Shape shape;
    shape.place = body.place;
    shape.geometry = MeshFile{.src = mesh->second};
    shape.pose = calc_pose(assembly_, index);
    shape.pose.p -= body.origin;
    shape.material = body.material;
    if (part.color) shape.color = *part.color;
    shape.collide = false;
    return shape;
  }

  std::string add_collision(const DesignBody& body, std::vector<Shape>& shapes) {
    if (body.collision.rule == CollisionRule::kNone || body.parts.empty()) return "";
    std::string text;
    const std::size_t groups = body.collision.each_part ? body.parts.size() : 1;
    for (std::size_t i = 0; i < groups; ++i) {
      const std::span<const int> all = body.parts;
      Mesh mesh = as_one_mesh(assembly_, body.collision.each_part ? all.subspan(i, 1) : all);
      for (Vec3& vertex : mesh.vertices) vertex -= body.origin;
      const Fit fit = fit_by_rule(mesh, body.collision);
      for (const FittedShape& fitted : fit.shapes) shapes.push_back(make_collision(body, fitted));
      text += (text.empty() ? "" : "; ") + fit.text;
    }
    return text;
  }

  static Fit fit_by_rule(const Mesh& mesh, const CollisionChoice& choice) {
    switch (choice.rule) {
      case CollisionRule::kBest:
        return choose_shapes(
            mesh, {.max_error = choice.max_error, .max_shapes = static_cast<std::size_t>(choice.max_shapes)});
      case CollisionRule::kBox:
        return make_fit(mesh, {fit_box(mesh)});
      case CollisionRule::kSphere:
        return make_fit(mesh, {fit_sphere(mesh)});
      case CollisionRule::kCapsule:
        return make_fit(mesh, {fit_capsule(mesh)});
      case CollisionRule::kCylinder:
        return make_fit(mesh, {fit_cylinder(mesh)});
      case CollisionRule::kHull:
        return make_fit(mesh, {fit_hull(mesh)});
      case CollisionRule::kBoundingCapsule:
        return make_fit(mesh, {fit_bounding_capsule(mesh)});
      case CollisionRule::kNone:
        break;
    }
    return {};
  }

  Shape make_collision(const DesignBody& body, const FittedShape& fitted) {
    Shape shape;
    shape.place = body.place;
    shape.geometry = std::visit(
        Overloaded{
            [&](const Mesh& hull) -> Geometry { return MeshFile{.src = add_mesh(body.name + "-hull", hull)}; },
            [](const auto& primitive) -> Geometry { return primitive; },
        },
        fitted.geometry);
    shape.pose = fitted.pose;
    shape.material = body.material;
    shape.visible = false;
    return shape;
  }

  /// Files that the script references are relative to the script: they are copied to the result.
  void take_sources() {
    for (Terrain& terrain : result_.scenario.terrains) terrain.src = take_file(terrain.src, terrain.place);
    std::vector<std::vector<Element>*> lists;
    const auto add = [&](Devices& devices) {
      for (auto* list : {&devices.sensors, &devices.actuators, &devices.controllers, &devices.connections,
                         &devices.subsystems})
        lists.push_back(list);
    };
    for (Robot& robot : result_.scenario.robots) add(robot.devices);
    add(result_.scenario.devices);
    for (std::vector<Element>* list : lists) {
      for (Element& element : *list) take_sources(element);
    }
  }

  void take_sources(Element& element) {
    for (Attribute& attribute : element.attributes) {
      if (attribute.name == "src" && !attribute.value.empty())
        attribute.value = take_file(attribute.value, attribute.place);
    }
    for (Element& child : element.children) take_sources(child);
  }

  std::string take_file(const std::string& src, const Place& place) {
    const auto [taken, is_new] = sources_.emplace(src, "");
    if (!is_new) return taken->second;
    const std::filesystem::path path(src);
    std::string name = path.filename().string();
    for (int number = 2; !file_names_.insert(name).second; ++number)
      name = fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
    taken->second = fmt::format("{}/{}", folder_, name);
    result_.files.push_back({taken->second, read_file_(src, place)});
    return taken->second;
  }

  const Design& design_;
  const Assembly& assembly_;
  std::string folder_;
  const ReadFile& read_file_;
  MassCalculator masses_;
  ModelResult result_;
  Diagnostics diagnostics_;
  std::map<int, std::string> meshes_;  // file of each shape
  std::map<std::string, std::string> sources_;
  std::set<std::string> file_names_;
};

}  // namespace

ModelResult make_result(const Design& design, const std::string& folder, const ReadFile& read_file) {
  return ResultBuilder(design, folder, read_file).run();
}

void embed_files(ModelResult& result) {
  for (const ResultFile& file : result.files)
    result.scenario.files.push_back({.place = {}, .path = file.path, .data = encode_base64(file.bytes)});
  result.files.clear();
}

}  // namespace lockstep
