#include "geometry/assembly.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "geometry/mesh_reader.h"
#include "lockstep/error.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxPartName = 10'000;  // bytes; deep assemblies have long paths
constexpr std::size_t kMaxNotes = 10'000;
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kMaxColors = 256;  // of one shape

void check(bool is_right, const char* text) {
  if (!is_right) throw StateError(text);
}

/// Writes and reads the same data in the same order.
class Writer {
 public:
  void number(double value) { out_.write(value); }
  void vector(const Vec3& value) {
    for (int i = 0; i < 3; ++i) out_.write(value(i));
  }
  void text(std::string_view value) { out_.write(value); }
  void count(std::size_t value) { out_.write(static_cast<std::uint64_t>(value)); }
  StateWriter& raw() { return out_; }

 private:
  StateWriter out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : in_(bytes) {}

  double number() {
    const auto value = in_.read<double>();
    check(std::isfinite(value), "a number is not finite");
    return value;
  }
  double positive() {
    const double value = number();
    check(value >= 0.0, "a size is below zero");
    return value;
  }
  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  std::string text() { return in_.read_string(kMaxPartName); }
  std::size_t count(std::size_t max) {
    const auto value = in_.read<std::uint64_t>();
    check(value <= max, "a size exceeds its limit");
    return static_cast<std::size_t>(value);
  }
  template <typename T>
  T raw() {
    return in_.read<T>();
  }
  bool at_end() const { return in_.at_end(); }

 private:
  StateReader in_;
};

void write(Writer& out, const MassProperties& body) {
  out.number(body.mass);
  out.vector(body.center);
  for (int i = 0; i < 9; ++i) out.number(body.inertia(i / 3, i % 3));
}

MassProperties read_mass(Reader& in) {
  MassProperties body;
  body.mass = in.positive();
  body.center = in.vector();
  for (int i = 0; i < 9; ++i) body.inertia(i / 3, i % 3) = in.number();
  return body;
}

void write(Writer& out, const Mesh& mesh) {
  out.count(mesh.vertices.size());
  for (const Vec3& vertex : mesh.vertices) out.vector(vertex);
  out.count(mesh.faces.size());
  for (const auto& face : mesh.faces) {
    for (const std::uint32_t corner : face) out.raw().write(corner);
  }
}

Mesh read_mesh(Reader& in) {
  Mesh mesh;
  // Not reserved: the count is untrusted, and the bytes end early if it is wrong.
  const std::size_t vertices = in.count(kMaxMeshVertices);
  for (std::size_t i = 0; i < vertices; ++i) {
    mesh.vertices.push_back(in.vector());
    check(mesh.vertices.back().cwiseAbs().maxCoeff() <= kMaxMeshCoordinate, "a coordinate is too large");
  }
  const std::size_t faces = in.count(kMaxMeshFaces);
  check(faces > 0, "a mesh is empty");
  for (std::size_t i = 0; i < faces; ++i) {
    std::array<std::uint32_t, 3> face{};
    for (std::uint32_t& corner : face) {
      corner = in.raw<std::uint32_t>();
      check(corner < vertices, "a face references a missing vertex");
    }
    mesh.faces.push_back(face);
  }
  return mesh;
}

void write(Writer& out, const PartShape& shape) {
  write(out, shape.mesh);
  out.raw().write(shape.exact.has_value());
  if (shape.exact) write(out, *shape.exact);
  out.count(shape.colored.size());
  for (const ColoredMesh& each : shape.colored) {
    for (const double channel : each.color) out.number(channel);
    write(out, each.mesh);
  }
  out.raw().write(shape.is_closed);
  out.count(shape.features.size());
  for (const Feature& feature : shape.features) {
    out.raw().write(feature.kind);
    out.vector(feature.point);
    out.vector(feature.direction);
    out.number(feature.radius);
    out.number(feature.size);
  }
}

Vec3 read_direction(Reader& in) {
  constexpr double kUnitTolerance = 1e-6;
  const Vec3 direction = in.vector();
  check(std::abs(direction.norm() - 1.0) < kUnitTolerance, "a direction is not of unit length");
  return direction;
}

std::array<double, 4> read_color(Reader& in) {
  std::array<double, 4> color{};
  for (double& channel : color) {
    channel = in.positive();
    check(channel <= 1.0, "a colour is above 1");
  }
  return color;
}

PartShape read_shape(Reader& in) {
  PartShape shape;
  shape.mesh = read_mesh(in);
  if (in.raw<bool>()) shape.exact = read_mass(in);
  const std::size_t colors = in.count(kMaxColors);
  for (std::size_t i = 0; i < colors; ++i) {
    const std::array<double, 4> color = read_color(in);
    shape.colored.push_back({color, read_mesh(in)});
  }
  shape.is_closed = in.raw<bool>();
  const std::size_t features = in.count(kMaxFeatures);
  for (std::size_t i = 0; i < features; ++i) {
    Feature feature;
    feature.kind = in.raw<FeatureKind>();
    check(feature.kind <= FeatureKind::kEdge, "a feature has an unknown kind");
    feature.point = in.vector();
    feature.direction = read_direction(in);
    feature.radius = in.positive();
    feature.size = in.positive();
    shape.features.push_back(feature);
  }
  return shape;
}

void write(Writer& out, const Part& part) {
  out.text(part.name);
  out.text(part.label);
  out.raw().write(std::int32_t{part.parent});
  out.vector(part.pose.p);
  for (int i = 0; i < 4; ++i) out.number(part.pose.q.coeffs()(i));
  out.raw().write(std::int32_t{part.shape});
  out.raw().write(part.color.has_value());
  if (part.color) {
    for (const double channel : *part.color) out.number(channel);
  }
  out.text(part.material);
  out.raw().write(part.density.has_value());
  if (part.density) out.number(*part.density);
}

Part read_part(Reader& in, int index, std::size_t shapes) {
  constexpr double kUnitTolerance = 1e-6;
  Part part;
  part.name = in.text();
  part.label = in.text();
  part.parent = in.raw<std::int32_t>();
  check(part.parent >= -1 && part.parent < index, "a part comes before its parent");
  part.pose.p = in.vector();
  for (int i = 0; i < 4; ++i) part.pose.q.coeffs()(i) = in.number();
  check(std::abs(part.pose.q.norm() - 1.0) < kUnitTolerance, "a rotation is not of unit length");
  part.shape = in.raw<std::int32_t>();
  check(part.shape >= -1 && part.shape < static_cast<int>(shapes), "a part references a missing shape");
  if (in.raw<bool>()) part.color = read_color(in);
  part.material = in.text();
  if (in.raw<bool>()) part.density = in.positive();
  return part;
}

void append(Mesh& whole, const Mesh& mesh, const Pose& X_WP) {
  const auto first = static_cast<std::uint32_t>(whole.vertices.size());
  for (const Vec3& vertex : mesh.vertices) whole.vertices.push_back(X_WP * vertex);
  for (const auto& [a, b, c] : mesh.faces) whole.faces.push_back({first + a, first + b, first + c});
}

void write(Writer& out, const std::vector<std::string>& lines) {
  const std::size_t count = std::min(lines.size(), kMaxNotes);
  out.count(count);
  for (std::size_t i = 0; i < count; ++i) out.text(lines[i]);
}

std::vector<std::string> read_lines(Reader& in) {
  std::vector<std::string> lines(in.count(kMaxNotes));
  for (std::string& line : lines) line = in.text();
  return lines;
}

}  // namespace

std::string_view name(FeatureKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"cylinder", "hole", "circle", "plane", "edge"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Pose calc_pose(const Assembly& assembly, int part) {
  Pose pose;
  for (int at = part; at >= 0; at = assembly.parts[static_cast<std::size_t>(at)].parent)
    pose = assembly.parts[static_cast<std::size_t>(at)].pose * pose;
  return pose;
}

Mesh as_one_mesh(const Assembly& assembly) {
  std::vector<int> all(assembly.parts.size());
  std::iota(all.begin(), all.end(), 0);
  return as_one_mesh(assembly, all);
}

Mesh as_one_mesh(const Assembly& assembly, std::span<const int> parts) {
  Mesh whole;
  for (const int index : parts) {
    const Part& part = assembly.parts[static_cast<std::size_t>(index)];
    if (part.shape < 0) continue;
    append(whole, assembly.shapes[static_cast<std::size_t>(part.shape)].mesh, calc_pose(assembly, index));
  }
  return whole;
}

std::vector<ColoredMesh> split_by_color(const Assembly& assembly) {
  constexpr std::array<double, 4> kUncolored = {0.8, 0.8, 0.8, 1.0};
  std::map<std::array<double, 4>, Mesh> by_color;
  bool has_any = false;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const Part& part = assembly.parts[i];
    if (part.shape < 0) continue;
    const PartShape& shape = assembly.shapes[static_cast<std::size_t>(part.shape)];
    const Pose X_WP = calc_pose(assembly, static_cast<int>(i));
    has_any = has_any || part.color.has_value();
    if (shape.colored.empty()) append(by_color[part.color.value_or(kUncolored)], shape.mesh, X_WP);
    for (const ColoredMesh& each : shape.colored) append(by_color[each.color], each.mesh, X_WP);
  }
  std::vector<ColoredMesh> meshes;
  for (auto& [color, mesh] : by_color) {
    if (has_any) meshes.push_back({color, std::move(mesh)});
  }
  return meshes;
}

std::vector<std::uint8_t> assembly_to_bytes(const Assembly& assembly) {
  Writer out;
  out.raw().write(kVersion);
  out.count(assembly.shapes.size());
  for (const PartShape& shape : assembly.shapes) write(out, shape);
  out.count(assembly.parts.size());
  for (const Part& part : assembly.parts) write(out, part);
  const ImportNotes& notes = assembly.notes;
  for (const auto* lines : {&notes.read, &notes.assumed, &notes.lost, &notes.suspicious}) write(out, *lines);
  const auto bytes = out.raw().bytes();
  return {bytes.begin(), bytes.end()};
}

Assembly assembly_from_bytes(std::span<const std::uint8_t> bytes) {
  Reader in(bytes);
  check(in.raw<std::uint32_t>() == kVersion, "the reader has another version");
  Assembly assembly;
  const std::size_t shapes = in.count(kMaxPartShapes);
  for (std::size_t i = 0; i < shapes; ++i) assembly.shapes.push_back(read_shape(in));
  const std::size_t parts = in.count(kMaxParts);
  std::set<std::string> names;
  for (std::size_t i = 0; i < parts; ++i) {
    assembly.parts.push_back(read_part(in, static_cast<int>(i), shapes));
    check(names.insert(assembly.parts.back().name).second, "two parts have the same name");
  }
  ImportNotes& notes = assembly.notes;
  for (auto* lines : {&notes.read, &notes.assumed, &notes.lost, &notes.suspicious}) *lines = read_lines(in);
  check(in.at_end(), "there are bytes after the assembly");
  return assembly;
}

}  // namespace lockstep
