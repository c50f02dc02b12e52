#include "geometry/face_colors.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lockstep {
namespace {

constexpr std::size_t kMaxPixels = 64'000'000;

using Bytes = std::array<std::uint8_t, 4>;

Bytes to_bytes(const FaceColor& color) {
  Bytes bytes{};
  for (std::size_t i = 0; i < 4; ++i)
    bytes[i] = static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(color[i], 0.0, 1.0)));
  return bytes;
}

int square_distance(const Bytes& a, const Bytes& b) {
  int sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// The part of a coordinate within the repeated image, 0 to below 1.
double repeated(double coordinate) {
  if (!std::isfinite(coordinate)) return 0.0;
  return coordinate - std::floor(coordinate);
}

}  // namespace

Result<Texture> Texture::read(std::string_view bytes) {
  Result<Image> image = decode_png(bytes, kMaxPixels);
  if (!image) return Failure{image.error()};
  return Texture(*std::move(image));
}

FaceColor Texture::at(double u, double v) const {
  const int x = std::min(static_cast<int>(repeated(u) * image_.width), image_.width - 1);
  const int y = std::min(static_cast<int>(repeated(1.0 - v) * image_.height), image_.height - 1);
  const std::uint8_t* pixel = image_.pixel(x, y);
  return {pixel[0] / 255.0, pixel[1] / 255.0, pixel[2] / 255.0, 1.0};
}

ColoredFaces split_by_color(const std::vector<Vec3>& vertices,
                            const std::vector<std::array<std::uint32_t, 3>>& faces,
                            const std::vector<FaceColor>& colors, const MeshSource& source) {
  LOCKSTEP_CHECK(colors.size() == faces.size() && !faces.empty());
  struct Use {
    FaceColor color{};  // of the first face
    double area = 0.0;
  };
  std::map<Bytes, Use> uses;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const auto& [a, b, c] = faces[i];
    Use& use = uses.try_emplace(to_bytes(colors[i]), Use{.color = colors[i]}).first->second;
    use.area += 0.5 * (vertices[b] - vertices[a]).cross(vertices[c] - vertices[a]).norm();
  }
  std::vector<std::pair<Bytes, Use>> largest(uses.begin(), uses.end());
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto& a, const auto& b) { return a.second.area > b.second.area; });
  ColoredFaces result{.main = largest.front().second.color, .meshes = {}};
  if (largest.size() == 1) return result;
  largest.resize(std::min(largest.size(), kMaxFaceColors));
  std::map<Bytes, std::size_t> kept_as;
  for (const auto& [color, use] : uses) {
    const auto nearest = std::min_element(largest.begin(), largest.end(), [&](const auto& a, const auto& b) {
      return square_distance(a.first, color) < square_distance(b.first, color);
    });
    kept_as[color] = static_cast<std::size_t>(nearest - largest.begin());
  }
  // Only the vertices of these faces are copied: they may be few of many.
  std::vector<std::uint32_t> used;
  for (const auto& face : faces) used.insert(used.end(), face.begin(), face.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  GroupedMesh grouped;
  for (const std::uint32_t vertex : used) grouped.vertices.push_back(vertices[vertex]);
  grouped.groups.resize(largest.size());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    auto& face = grouped.groups[kept_as.at(to_bytes(colors[i]))].faces.emplace_back(faces[i]);
    for (std::uint32_t& corner : face)
      corner = static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), corner) - used.begin());
  }
  std::vector<std::optional<Mesh>> meshes = separated(grouped, source);
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    if (meshes[i]) result.meshes.push_back({largest[i].second.color, *std::move(meshes[i])});
  }
  if (result.meshes.size() < 2) result.meshes.clear();
  return result;
}

}  // namespace lockstep
