#include "geometry/stl_writer.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lockstep {

namespace {

constexpr std::size_t kHeaderBytes = 80;

void append_little_endian(std::string& out, std::uint32_t value, int bytes = 4) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

void append(std::string& out, const Vec3& vector) {
  for (const double number : vector)
    append_little_endian(out, std::bit_cast<std::uint32_t>(static_cast<float>(number)));
}

}  // namespace

std::string write_stl(const Mesh& mesh, double scale, std::string_view title) {
  std::string out(kHeaderBytes, '\0');
  title = title.substr(0, kHeaderBytes - 1);
  std::copy(title.begin(), title.end(), out.begin());
  append_little_endian(out, static_cast<std::uint32_t>(mesh.faces.size()));
  for (const auto& face : mesh.faces) {
    const Vec3 a = mesh.vertices[face[0]], b = mesh.vertices[face[1]], c = mesh.vertices[face[2]];
    append(out, (b - a).cross(c - a).normalized());
    for (const Vec3& corner : {a, b, c}) append(out, scale * corner);
    append_little_endian(out, 0, 2);  // no attributes
  }
  return out;
}

}  // namespace lockstep
