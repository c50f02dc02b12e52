#include "physics/mujoco/render/image_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace lockstep {
namespace {

/// A tetrahedron at the end of every placeholder: MuJoCo needs a volume.
constexpr std::uint32_t kCorners = 4;
constexpr std::array<std::array<std::uint32_t, 3>, 4> kSides = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

/// Limit of drawn points in a row or column of a heightmap.
constexpr std::size_t kMaxPoints = 512;
/// Height of the walls below the lowest point of a terrain, as a fraction of its smaller extent.
constexpr double kWallOfExtent = 0.02;

/// Vertex normals: the area-weighted mean of the adjacent face normals.
std::vector<Vec3> calc_normals(const Mesh& mesh) {
  std::vector<Vec3> normals(mesh.vertices.size(), Vec3::Zero());
  for (const auto& [a, b, c] : mesh.faces) {
    const Vec3 normal = (mesh.vertices[b] - mesh.vertices[a]).cross(mesh.vertices[c] - mesh.vertices[a]);
    for (const std::uint32_t i : {a, b, c}) normals[i] += normal;
  }
  for (Vec3& normal : normals) {
    const double length = normal.norm();
    normal = length > 0.0 ? Vec3(normal / length) : Vec3(Vec3::UnitZ());
  }
  return normals;
}

/// Rows or columns of a heightmap that are drawn, including the first and the last.
std::vector<std::size_t> choose_points(std::size_t count) {
  const std::size_t every = (count - 1) / kMaxPoints + 1;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i + 1 < count; i += every) chosen.push_back(i);
  chosen.push_back(count - 1);
  return chosen;
}

}  // namespace

std::string write_placeholder(const Mesh& mesh) {
  std::string bytes;
  const auto append = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const auto vertices = static_cast<std::uint32_t>(mesh.vertices.size());
  const auto faces = static_cast<std::uint32_t>(mesh.faces.size());
  // Vertices, normals, texture coordinates, faces; then the arrays.
  append(std::array<std::uint32_t, 4>{vertices + kCorners, 0, 0,
                                      faces + static_cast<std::uint32_t>(kSides.size())});
  for (std::uint32_t i = 0; i < vertices + 1; ++i) append(std::array<float, 3>{});
  append(std::array<float, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  for (std::size_t i = 0; i < faces + kSides.size(); ++i) {
    const auto& [a, b, c] = kSides[i % kSides.size()];
    append(std::array<std::uint32_t, 3>{vertices + a, vertices + b, vertices + c});
  }
  return bytes;
}

void fill_placeholder(const Mesh& mesh, float* vertices, float* normals, int* faces) {
  const std::vector<Vec3> mesh_normals = calc_normals(mesh);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      *vertices++ = static_cast<float>(mesh.vertices[i][k]);
      *normals++ = static_cast<float>(mesh_normals[i][k]);
    }
  }
  for (const auto& face : mesh.faces) faces = std::copy(face.begin(), face.end(), faces);
  // The tetrahedron collapses to a point.
  std::fill(vertices, vertices + 3 * kCorners, 0.0f);
  std::fill(faces, faces + 3 * kSides.size(), 0);
}

Mesh make_terrain_mesh(const Heightmap& map, const Vec3& size) {
  const std::vector<std::size_t> rows = choose_points(map.rows), columns = choose_points(map.columns);
  const double bottom = -kWallOfExtent * std::min(size.x(), size.y());
  const auto point = [&](std::size_t row, std::size_t column) {
    return Vec3(size.x() * (static_cast<double>(column) / static_cast<double>(map.columns - 1) - 0.5),
                size.y() * (static_cast<double>(row) / static_cast<double>(map.rows - 1) - 0.5),
                size.z() * static_cast<double>(map.heights[row * map.columns + column]));
  };
  Mesh mesh;
  const auto add_quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    mesh.faces.push_back({a, b, c});
    mesh.faces.push_back({a, c, d});
  };
  for (const std::size_t row : rows) {
    for (const std::size_t column : columns) mesh.vertices.push_back(point(row, column));
  }
  const auto width = static_cast<std::uint32_t>(columns.size());
  for (std::uint32_t r = 0; r + 1 < rows.size(); ++r) {
    for (std::uint32_t c = 0; c + 1 < width; ++c) {
      const std::uint32_t corner = r * width + c;
      add_quad(corner, corner + 1, corner + 1 + width, corner + width);
    }
  }

  // The rim, counter-clockwise from above, has separate vertices so that its edge is sharp.
  std::vector<Vec3> rim;
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) rim.push_back(point(0, columns[i]));
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) rim.push_back(point(rows[i], map.columns - 1));
  for (std::size_t i = columns.size() - 1; i > 0; --i) rim.push_back(point(map.rows - 1, columns[i]));
  for (std::size_t i = rows.size() - 1; i > 0; --i) rim.push_back(point(rows[i], 0));
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  const auto count = static_cast<std::uint32_t>(rim.size());
  for (const Vec3& p : rim) {
    mesh.vertices.emplace_back(p.x(), p.y(), bottom);
    mesh.vertices.push_back(p);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t here = first + 2 * i, next = first + 2 * ((i + 1) % count);
    add_quad(here, next, next + 1, here + 1);
  }
  return mesh;
}

}  // namespace lockstep
