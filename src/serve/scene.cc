#include "serve/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/overloaded.h"
#include "scenario/element_paths.h"
#include "serve/bytes.h"
#include "serve/gzip.h"
#include "serve/view_state.h"

namespace lockstep::serve {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}
Json to_json(const Quat& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}
Json to_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}
/// null for an infinite limit.
Json limit_to_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

const char* name_of(JointType type) {
  switch (type) {
    case JointType::kFixed:
      return "fixed";
    case JointType::kHinge:
      return "hinge";
    case JointType::kSlide:
      return "slide";
    case JointType::kBall:
      return "ball";
    case JointType::kFree:
      return "free";
  }
  return "";
}

const char* name_of(SignalRole role) {
  switch (role) {
    case SignalRole::kMeasurement:
      return "measurement";
    case SignalRole::kCommand:
      return "command";
    case SignalRole::kInternal:
    case SignalRole::kHealth:
      return "internal";
    case SignalRole::kTiming:
      return "timing";
  }
  return "";
}

std::string to_bytes(const Mesh& mesh) {
  std::string bytes;
  bytes.reserve(8 + 12 * (mesh.vertices.size() + mesh.faces.size()));
  append_number(bytes, static_cast<std::uint32_t>(mesh.vertices.size()));
  append_number(bytes, static_cast<std::uint32_t>(mesh.faces.size()));
  for (const Vec3& vertex : mesh.vertices) {
    for (const double x : vertex) append_number(bytes, static_cast<float>(x));
  }
  for (const auto& face : mesh.faces) {
    for (const std::uint32_t corner : face) append_number(bytes, corner);
  }
  return bytes;
}

/// The first row sent is at the largest y.
std::string to_bytes(const Heightmap& map) {
  std::string bytes;
  bytes.reserve(8 + 4 * map.heights.size());
  append_number(bytes, static_cast<std::uint32_t>(map.columns));
  append_number(bytes, static_cast<std::uint32_t>(map.rows));
  for (std::size_t row = map.rows; row-- > 0;) {
    const auto* begin = reinterpret_cast<const char*>(map.heights.data() + row * map.columns);
    bytes.append(begin, map.columns * sizeof(float));
  }
  return bytes;
}

/// Writes the scene object, list by list.
class SceneWriter {
 public:
  SceneWriter(Scene& scene, const Scenario& scenario, const Simulation& simulation, const Scene* last)
      : scene_(scene),
        scenario_(scenario),
        simulation_(simulation),
        model_(simulation.model()),
        last_(last),
        paths_(scene.root) {}

  Json write() {
    add_devices();
    Json json = {{"id", scene_.id},
                 {"name", scenario_.name},
                 {"description", scenario_.description},
                 {"path", scene_.path},
                 {"step", to_seconds(scenario_.step)},
                 {"row_period", to_seconds(row_period(scenario_.step))},
                 {"duration", to_seconds(scenario_.duration)},
                 {"gravity", to_json(scenario_.gravity)},
                 {"water_level", to_json(model_.medium.water_level)}};
    json["bodies"] = bodies();
    json["shapes"] = shapes();
    json["meshes"] = urls(model_.meshes, "mesh");
    json["heightmaps"] = urls(model_.heightmaps, "heightmap");
    json["joints"] = joints();
    json["sites"] = Json::array();
    for (const SiteModel& site : model_.sites) {
      json["sites"].push_back({{"name", site.name},
                               {"body", index(site.body)},
                               {"position", to_json(site.X_BS.p)},
                               {"orientation", to_json(site.X_BS.q)},
                               {"xpath", note_path(site.name, site.place)}});
    }
    json["loops"] = pairs(model_.loops);
    json["springs"] = pairs(model_.springs);
    json["devices"] = devices_;
    json["signals"] = signals();
    json["plots"] = plots();
    return json;
  }

 private:
  std::string robot_of(const std::string& full_name) const {
    const std::string first = full_name.substr(0, full_name.find('/'));
    for (const Robot& robot : scenario_.robots) {
      if (robot.name == first && first.size() < full_name.size()) return first;
    }
    return "";
  }

  std::string path_of(const std::string& name, const Place& place) const {
    return paths_.find(place, robot_of(name));
  }
  /// Several elements may have one name, as a link and its joint: the first is found by it.
  std::string note_path(const std::string& name, const Place& place) {
    std::string path = path_of(name, place);
    if (!path.empty()) scene_.paths.emplace(name, path);
    return path;
  }

  Json bodies() {
    Json list = Json::array();
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const BodyModel& body = model_.bodies[i];
      list.push_back({{"name", body.name},
                      {"parent", i == 0 ? -1 : static_cast<int>(body.parent)},
                      {"mass", body.mass.mass},
                      {"center", to_json(body.mass.center)},
                      {"inertia", inertia(body.mass.inertia)},
                      {"movable", model_.can_move(BodyId{static_cast<int>(i)})},
                      {"robot", robot_of(body.name)},
                      {"xpath", i == 0 ? "/" + scene_.root.name : note_path(body.name, body.place)}});
    }
    return list;
  }

  /// The six different elements: xx, yy, zz, xy, xz, yz.
  static Json inertia(const Mat3& m) { return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)}; }

  Json shapes() const {
    Json list = Json::array();
    for (const ShapeModel& shape : model_.shapes) {
      std::string path = path_of(shape.name, shape.place);
      // A shape that a generator gives no place of its own belongs to the element of its body.
      if (path.empty()) path = path_of(shape.name, model_.body(shape.body).place);
      list.push_back({{"name", shape.name},
                      {"body", index(shape.body)},
                      {"position", to_json(shape.X_BS.p)},
                      {"orientation", to_json(shape.X_BS.q)},
                      {"color", shape.color},
                      {"visible", shape.visible},
                      {"collide", shape.collide},
                      {"material", model_.materials[index(shape.material)].name},
                      {"geometry", geometry(shape.geometry)},
                      {"xpath", path}});
    }
    return list;
  }

  static Json geometry(const ShapeGeometry& geometry) {
    return std::visit(
        Overloaded{
            [](const PlaneGeometry&) -> Json {
              return {{"kind", "plane"}};
            },
            [](const Box& box) -> Json {
              return {{"kind", "box"}, {"size", to_json(box.size)}};
            },
            [](const Sphere& sphere) -> Json {
              return {{"kind", "sphere"}, {"radius", sphere.radius}};
            },
            [](const Capsule& capsule) -> Json {
              return {{"kind", "capsule"}, {"radius", capsule.radius}, {"length", capsule.length}};
            },
            [](const Cylinder& cylinder) -> Json {
              return {{"kind", "cylinder"}, {"radius", cylinder.radius}, {"length", cylinder.length}};
            },
            [](const MeshGeometry& mesh) -> Json {
              return {{"kind", "mesh"}, {"mesh", index(mesh.mesh)}};
            },
            [](const HeightmapGeometry& map) -> Json {
              return {{"kind", "heightmap"}, {"heightmap", index(map.heightmap)}, {"size", to_json(map.size)}};
            }},
        geometry);
  }

  template <typename Asset>
  Json urls(const std::vector<Asset>& assets, const char* kind) {
    Json list = Json::array();
    for (const Asset& asset : assets) {
      const std::string bytes = to_bytes(asset);
      // Two seeds, because a browser keeps the answer for a year.
      const std::string url =
          fmt::format("/scene/{}/{}{}", kind, to_hex(hash_text(bytes, 0)), to_hex(hash_text(bytes, 1)));
      list.push_back({{"url", url}});
      if (!scene_.assets.contains(url)) scene_.assets[url] = compressed(url, bytes);
    }
    return list;
  }

  /// Shared with the last scene if that has the same asset.
  std::shared_ptr<const std::string> compressed(const std::string& url, const std::string& bytes) const {
    if (last_ != nullptr) {
      const auto found = last_->assets.find(url);
      if (found != last_->assets.end()) return found->second;
    }
    return std::make_shared<const std::string>(compress(bytes));
  }

  Json joints() {
    Json list = Json::array();
    for (const JointModel& joint : model_.joints) {
      scene_.joints.emplace(joint.name, joint.type);
      const bool is_hinge = joint.type == JointType::kHinge;
      const char* unit = is_hinge ? "rad" : joint.type == JointType::kSlide ? "m" : "";
      list.push_back({{"name", joint.name},
                      {"type", name_of(joint.type)},
                      {"body", index(joint.body)},
                      {"position", to_json(joint.position)},
                      {"axis", to_json(joint.axis)},
                      {"lower", to_json(joint.lower)},
                      {"upper", to_json(joint.upper)},
                      {"detachable", joint.detachable},
                      {"unit", unit},
                      {"xpath", note_path(joint.name, joint.place)}});
    }
    return list;
  }

  template <typename Pair>
  static Json pairs(const std::vector<Pair>& pairs) {
    Json list = Json::array();
    for (const Pair& pair : pairs) {
      list.push_back({{"name", pair.name}, {"a", index(pair.a)}, {"b", index(pair.b)}});
    }
    return list;
  }

  void add_devices() {
    for (const Robot& robot : scenario_.robots) add_devices(robot.devices, robot.name);
    add_devices(scenario_.devices, "");
  }

  void add_devices(const Devices& devices, const std::string& robot) {
    const std::pair<const char*, const std::vector<Element>*> categories[] = {
        {"sensor", &devices.sensors},         {"actuator", &devices.actuators},
        {"controller", &devices.controllers}, {"connection", &devices.connections},
        {"subsystem", &devices.subsystems},   {"observer", &devices.observers}};
    for (const auto& [category, elements] : categories) {
      for (const Element& element : *elements) add_device(category, element, robot);
    }
  }

  void add_device(const char* category, const Element& element, const std::string& robot) {
    const std::string prefix = robot.empty() ? "" : robot + "/";
    const Attribute* name = element.find_attribute("name");
    if (name == nullptr) return;
    const std::string full = prefix + name->value;
    const Attribute* joint = element.find_attribute("joint");
    Json names = Json::array();
    for (const SignalInfo& signal : simulation_.signals().all()) {
      if (!signal.name.starts_with(full + "/")) continue;
      names.push_back(signal.name);
      if (joint != nullptr) measured_joint_[signal.name] = find_joint(prefix, joint->value);
    }
    devices_.push_back({{"name", full},
                        {"category", category},
                        {"kind", element.name},
                        {"robot", robot},
                        {"signals", names},
                        {"xpath", note_path(full, element.place)}});
  }

  std::string find_joint(const std::string& prefix, const std::string& given) const {
    return model_.find_joint(prefix + given) ? prefix + given : model_.find_joint(given) ? given : "";
  }

  Json signals() {
    Json list = Json::array();
    const auto all = simulation_.signals().all();
    for (const SignalInfo& signal : all) {
      std::string joint = signal.limits.joint;
      if (joint.empty()) joint = measured_joint_[signal.name];
      list.push_back({{"name", signal.name},
                      {"unit", signal.unit},
                      {"role", name_of(signal.role)},
                      {"lower", limit_to_json(signal.limits.lower)},
                      {"upper", limit_to_json(signal.limits.upper)},
                      {"joint", joint.empty() ? Json(nullptr) : Json(joint)}});
    }
    return list;
  }

  /// What is worth plotting at first: what the first controller outside gets, and what it answers; one plot
  /// per unit.
  Json plots() const {
    constexpr std::size_t kMaxPlots = 3, kMaxCurves = 6;
    std::vector<std::pair<std::string, Json>> groups;
    const auto& connections = simulation_.connections();
    if (connections.empty()) return Json::array();
    for (const auto& slots : {connections.front().device->reads(), connections.front().device->writes()}) {
      for (const Slot slot : slots) {
        const SignalInfo& info = simulation_.signals().info(slot);
        if (info.name == "time") continue;
        auto group =
            std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == info.unit; });
        if (group == groups.end()) {
          if (groups.size() == kMaxPlots) continue;
          group = groups.insert(groups.end(), {info.unit, Json::array()});
        }
        if (group->second.size() < kMaxCurves) group->second.push_back(info.name);
      }
    }
    Json list = Json::array();
    for (auto& [_, names] : groups) list.push_back(names);
    return list;
  }

  Scene& scene_;
  const Scenario& scenario_;
  const Simulation& simulation_;
  const Model& model_;
  const Scene* last_;
  const ElementPaths paths_;
  Json devices_ = Json::array();
  std::unordered_map<std::string, std::string> measured_joint_;
};

}  // namespace

ReadScenario read_all(const Document& document, const Registry& registry, Diagnostics& diagnostics) {
  return {.loaded = load_scenario(document, registry, diagnostics),
          .root = document.root(),
          .text = document.text()};
}

std::shared_ptr<const Scene> make_scene(std::uint32_t id, std::string path, const ReadScenario& scenario,
                                        const Simulation& simulation, const Scene* last) {
  auto scene = std::make_shared<Scene>();
  scene->id = id;
  scene->step = to_seconds(simulation.step_size());
  scene->path = std::move(path);
  scene->text = scenario.text;
  scene->root = scenario.root;
  scene->signals = simulation.signals();
  scene->json = SceneWriter(*scene, scenario.loaded.scenario, simulation, last)
                    .write()
                    .dump(-1, ' ', false, Json::error_handler_t::replace);
  return scene;
}

}  // namespace lockstep::serve
