#include "formats/shapes/gltf_export.h"

#include <Eigen/Geometry>
#include <bit>
#include <limits>
#include <map>
#include <numbers>

#include "base/overloaded.h"
#include "formats/common/robot_export.h"
#include "geometry/image.h"
#include "geometry/tessellate.h"
#include "model/kinematics.h"
#include "scenario/scenario.h"

namespace lockstep {
namespace {

/// Distance of a round surface from its mesh, as a part of its size.
constexpr double kDeviation = 0.005;

// Constants of the format.
constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
constexpr int kFloat = 5126, kUnsignedInt = 5125, kVertexBuffer = 34962, kIndexBuffer = 34963;

void append_word(std::string& out, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

void append_float(std::string& out, float value) {
  append_word(out, std::bit_cast<std::uint32_t>(value));
}

std::string list(const auto& numbers) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ",", number);
  return "[" + text + "]";
}

/// Empty for planes and height maps.
Mesh mesh_of(const Model& model, const ShapeModel& shape) {
  return std::visit(
      Overloaded{[](const Box& box) { return tessellated(box); },
                 [](const Sphere& sphere) { return tessellated(sphere, kDeviation * sphere.radius); },
                 [](const Capsule& capsule) { return tessellated(capsule, kDeviation * capsule.radius); },
                 [](const Cylinder& cylinder) { return tessellated(cylinder, kDeviation * cylinder.radius); },
                 [&](const MeshGeometry& mesh) { return model.meshes[index(mesh.mesh)]; },
                 [](const auto&) { return Mesh{}; }},
      shape.geometry);
}

class GltfWriter {
 public:
  explicit GltfWriter(const ExportSource& source)
      : model_(build_for_export(source)), robot_(source.robot), poses_(calc_initial_poses(model_)) {}

  Exported run(const Scenario& scenario) {
    // Everything is below one node that turns z up into y up, as the format requires.
    const int root = add_node(
        "scenario", {Vec3::Zero(), Quat(Eigen::AngleAxisd(-std::numbers::pi / 2.0, Vec3::UnitX()))}, -1);
    std::map<std::string, int> groups;  // nodes of robots
    std::vector<int> node_of(model_.bodies.size(), root);
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const BodyModel& body = model_.bodies[i];
      const std::size_t slash = body.name.find('/');
      if (!robot_.empty() && !body.name.starts_with(robot_ + "/")) continue;
      if (slash == std::string::npos) {
        node_of[i] = add_node(body.name, poses_[i], root);
      } else if (body.parent == kWorldBody) {
        const std::string robot = body.name.substr(0, slash);
        const auto [group, is_new] = groups.try_emplace(robot, -1);
        if (is_new) group->second = add_node(robot, {}, root);
        node_of[i] = add_node(body.name.substr(slash + 1), poses_[i], group->second);
      } else {
        node_of[i] = add_node(body.name.substr(slash + 1), poses_[index(body.parent)].inverse() * poses_[i],
                              node_of[index(body.parent)]);
      }
    }
    for (const ShapeModel& shape : model_.shapes) add_shape(shape, node_of[index(shape.body)]);
    if (meshes_.empty())
      throw_user_error(scenario.place, "there is no visible shape to export{}",
                       robot_.empty() ? "" : fmt::format(" of a robot '{}'", robot_));
    report_environment(scenario, exported_.report);
    if (surfaces_ > 0) exported_.report.lost.push_back(fmt::format("{} grounds and terrains", surfaces_));
    exported_.report.lost.push_back("joints, masses and collision shapes: the format only has visible shapes");
    exported_.report.read.push_back(
        fmt::format("{} shapes in {} nodes, at the start of the scenario", shape_count_, nodes_.size()));
    exported_.files.push_back({"", write()});
    return std::move(exported_);
  }

 private:
  struct Node {
    std::string name;
    Pose pose;
    std::vector<int> children;
    int mesh = -1;
  };

  int add_node(const std::string& name, const Pose& pose, int parent) {
    const auto id = static_cast<int>(nodes_.size());
    nodes_.push_back({name, pose, {}, -1});
    if (parent >= 0) nodes_[static_cast<std::size_t>(parent)].children.push_back(id);
    return id;
  }

  void add_shape(const ShapeModel& shape, int body) {
    if (!shape.visible || (!robot_.empty() && body == 0)) return;
    const Mesh mesh = mesh_of(model_, shape);
    if (mesh.faces.empty()) {
      ++surfaces_;
      return;
    }
    ++shape_count_;
    const int node = add_node(shape.name.substr(shape.name.rfind('/') + 1), shape.X_BS, body);
    nodes_[static_cast<std::size_t>(node)].mesh = static_cast<int>(meshes_.size());
    meshes_.push_back(
        fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{},"material":{}}}]}})",
                    add_positions(mesh), add_indices(mesh), find_material(shape.color)));
  }

  int add_view(std::size_t begin, int target) {
    views_.push_back(fmt::format(R"({{"buffer":0,"byteOffset":{},"byteLength":{},"target":{}}})", begin,
                                 binary_.size() - begin, target));
    return static_cast<int>(views_.size()) - 1;
  }

  int add_positions(const Mesh& mesh) {
    const std::size_t begin = binary_.size();
    Eigen::AlignedBox3f bounds;
    for (const Vec3& vertex : mesh.vertices) {
      const Eigen::Vector3f rounded = vertex.cast<float>();
      bounds.extend(rounded);
      for (const float coordinate : rounded) append_float(binary_, coordinate);
    }
    const int view = add_view(begin, kVertexBuffer);
    accessors_.push_back(fmt::format(
        R"({{"bufferView":{},"componentType":{},"count":{},"type":"VEC3","min":{},"max":{}}})", view, kFloat,
        mesh.vertices.size(), list(bounds.min().cast<double>()), list(bounds.max().cast<double>())));
    return static_cast<int>(accessors_.size()) - 1;
  }

  int add_indices(const Mesh& mesh) {
    const std::size_t begin = binary_.size();
    for (const auto& face : mesh.faces) {
      for (const std::uint32_t corner : face) append_word(binary_, corner);
    }
    const int view = add_view(begin, kIndexBuffer);
    accessors_.push_back(fmt::format(R"({{"bufferView":{},"componentType":{},"count":{},"type":"SCALAR"}})",
                                     view, kUnsignedInt, 3 * mesh.faces.size()));
    return static_cast<int>(accessors_.size()) - 1;
  }

  std::size_t find_material(const Color& color) {
    const auto [known, is_new] = material_of_.try_emplace(color, materials_.size());
    if (is_new) {
      // Colours of the format are linear.
      const std::array<double, 4> linear = {to_linear(color[0]), to_linear(color[1]), to_linear(color[2]),
                                            color[3]};
      materials_.push_back(fmt::format(
          R"({{"pbrMetallicRoughness":{{"baseColorFactor":{},"metallicFactor":0,"roughnessFactor":0.7}},)"
          R"("doubleSided":true{}}})",
          list(linear), color[3] < 1.0 ? R"(,"alphaMode":"BLEND")" : ""));
    }
    return known->second;
  }

  /// Names in a scenario need no escapes in JSON.
  static std::string write_node(const Node& node) {
    std::string text = fmt::format(R"({{"name":"{}")", node.name);
    if (!node.pose.p.isZero()) text += R"(,"translation":)" + list(node.pose.p);
    if (!node.pose.q.isApprox(Quat::Identity(), 0.0)) text += R"(,"rotation":)" + list(node.pose.q.coeffs());
    if (!node.children.empty()) text += R"(,"children":)" + list(node.children);
    if (node.mesh >= 0) text += fmt::format(R"(,"mesh":{})", node.mesh);
    return text + "}";
  }

  std::string write() const {
    std::vector<std::string> nodes;
    for (const Node& node : nodes_) nodes.push_back(write_node(node));
    std::string json = fmt::format(
        R"({{"asset":{{"version":"2.0","generator":"Lockstep"}},"scene":0,"scenes":[{{"nodes":[0]}}],)"
        R"("nodes":[{}],"meshes":[{}],"materials":[{}],"accessors":[{}],"bufferViews":[{}],)"
        R"("buffers":[{{"byteLength":{}}}]}})",
        fmt::join(nodes, ","), fmt::join(meshes_, ","), fmt::join(materials_, ","), fmt::join(accessors_, ","),
        fmt::join(views_, ","), binary_.size());
    json.resize((json.size() + 3) / 4 * 4, ' ');  // chunks are aligned to words
    constexpr std::size_t kHeaders = 12 + 8 + 8;
    const std::size_t size = kHeaders + json.size() + binary_.size();
    if (size > std::numeric_limits<std::uint32_t>::max())
      throw_user_error({}, "the file would have more than 4 GB, the limit of the format");
    std::string out;
    for (const std::uint32_t word : {kMagic, kVersion, static_cast<std::uint32_t>(size),
                                     static_cast<std::uint32_t>(json.size()), kJsonChunk})
      append_word(out, word);
    out += json;
    append_word(out, static_cast<std::uint32_t>(binary_.size()));
    append_word(out, kBinaryChunk);
    return out + binary_;
  }

  const Model model_;
  const std::string robot_;
  const std::vector<Pose> poses_;  // X_WB by BodyId
  std::vector<Node> nodes_;
  std::vector<std::string> meshes_, materials_, accessors_, views_;  // as JSON
  std::map<Color, std::size_t> material_of_;
  std::string binary_;
  std::size_t shape_count_ = 0, surfaces_ = 0;
  Exported exported_;
};

}  // namespace

Exported export_gltf(const ExportSource& source) {
  return GltfWriter(source).run(source.scenario);
}

}  // namespace lockstep
