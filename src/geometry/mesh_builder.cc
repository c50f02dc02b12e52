#include "geometry/mesh_builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.h"
#include "base/units.h"
#include "geometry/mesh_reader.h"

namespace lockstep {
namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

bool is_before(const Vec3& a, const Vec3& b) {
  return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

/// For each vertex the first one equal to it. By sorting, not hashing: the worst-case time must not depend on
/// maliciously chosen coordinates.
std::vector<std::uint32_t> find_first_equal(const std::vector<Vec3>& vertices) {
  std::vector<std::uint32_t> order(vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (is_before(vertices[a], vertices[b])) return true;
    return !is_before(vertices[b], vertices[a]) && a < b;
  });
  std::vector<std::uint32_t> first(vertices.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool repeats = i > 0 && vertices[order[i]] == vertices[order[i - 1]];
    first[order[i]] = repeats ? first[order[i - 1]] : order[i];
  }
  return first;
}

}  // namespace

void throw_mesh_error(const MeshSource& source, std::size_t line, std::string_view text) {
  if (source.file_name.empty()) throw_user_error({source.place.file, static_cast<int>(line), 1}, "{}", text);
  if (line == 0) throw_user_error(source.place, "mesh '{}': {}", source.file_name, text);
  throw_user_error(source.place, "mesh '{}': line {}: {}", source.file_name, line, text);
}

double read_coordinate(std::string_view word, const MeshSource& source, std::size_t line) {
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // Real exporters write zero as numbers too small for a double.
  const std::size_t mark = digits.find_first_of("eE");
  const bool is_tiny =
      error == std::errc::result_out_of_range && mark + 1 < digits.size() && digits[mark + 1] == '-';
  if (end != digits.data() + digits.size() || (error != std::errc{} && !is_tiny) || std::isnan(value)) {
    throw_mesh_error(
        source, line,
        fmt::format("coordinate '{}' is not a number; expected one such as '0.5'", shown_text(word)));
  }
  return is_tiny ? 0.0 : value;
}

void check_vertex(const Vec3& vertex, const MeshSource& source, std::size_t line) {
  if (vertex.array().isFinite().all() && vertex.cwiseAbs().maxCoeff() <= kMaxMeshCoordinate) return;
  throw_mesh_error(
      source, line,
      fmt::format("vertex ({}, {}, {}); expected coordinates between -{} and {}", vertex.x(), vertex.y(),
                  vertex.z(), format_number(kMaxMeshCoordinate), format_number(kMaxMeshCoordinate)));
}

std::string_view take_word(std::string_view& text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

Mesh finish_mesh(const std::vector<Vec3>& vertices, std::vector<std::array<std::uint32_t, 3>> faces,
                 const MeshSource& source) {
  if (faces.empty())
    throw_mesh_error(source, 0, "the file has no faces; expected a surface of triangles or polygons");

  const std::vector<std::uint32_t> first = find_first_equal(vertices);
  for (auto& face : faces) {
    for (std::uint32_t& corner : face) corner = first[corner];
  }
  std::erase_if(faces, [](const auto& f) { return f[0] == f[1] || f[1] == f[2] || f[2] == f[0]; });
  if (faces.empty())
    throw_mesh_error(source, 0, "every face has two equal corners; expected faces with an area");

  std::vector<std::uint32_t> new_index(vertices.size(), kUnused);
  for (const auto& face : faces) {
    for (const std::uint32_t corner : face) new_index[corner] = 0;
  }
  Mesh mesh;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (new_index[i] == kUnused) continue;
    if (mesh.vertices.size() == kMaxMeshVertices) {
      throw_mesh_error(source, 0, fmt::format("more than {} different vertices", kMaxMeshVertices));
    }
    new_index[i] = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.push_back(vertices[i]);
  }
  for (auto& face : faces) {
    for (std::uint32_t& corner : face) corner = new_index[corner];
  }
  mesh.faces = std::move(faces);
  return mesh;
}

Mesh ungrouped(GroupedMesh mesh, const MeshSource& source) {
  std::vector<std::array<std::uint32_t, 3>> faces;
  for (MeshGroup& group : mesh.groups) {
    faces.insert(faces.end(), group.faces.begin(), group.faces.end());
    group.faces = {};
  }
  return finish_mesh(mesh.vertices, std::move(faces), source);
}

std::vector<std::optional<Mesh>> separated(const GroupedMesh& mesh, const MeshSource& source) {
  // Only the vertices that a group uses are copied, so that the cost of a group depends on its size alone.
  std::vector<std::uint32_t> new_index(mesh.vertices.size(), kUnused);
  std::vector<std::optional<Mesh>> meshes;
  for (const MeshGroup& group : mesh.groups) {
    std::vector<std::uint32_t> used;
    auto faces = group.faces;
    for (auto& face : faces) {
      for (std::uint32_t& corner : face) {
        if (new_index[corner] == kUnused) {
          new_index[corner] = static_cast<std::uint32_t>(used.size());
          used.push_back(corner);
        }
        corner = new_index[corner];
      }
    }
    std::vector<Vec3> vertices;
    for (const std::uint32_t v : used) {
      vertices.push_back(mesh.vertices[v]);
      new_index[v] = kUnused;
    }
    const bool has_area = std::any_of(faces.begin(), faces.end(), [&](const auto& f) {
      return vertices[f[0]] != vertices[f[1]] && vertices[f[1]] != vertices[f[2]] &&
             vertices[f[2]] != vertices[f[0]];
    });
    meshes.push_back(has_area ? std::optional(finish_mesh(vertices, std::move(faces), source)) : std::nullopt);
  }
  return meshes;
}

}  // namespace lockstep
