#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "geometry/mesh_builder.h"
#include "geometry/mesh_reader.h"

namespace lockstep {
namespace {

// Binary STL: 80 bytes of anything, the number of triangles, then for each of them normal, three corners
// (floats) and two bytes of attributes. All little-endian.
constexpr std::size_t kStlHeaderSize = 84;
constexpr std::size_t kTriangleSize = 50;
constexpr std::size_t kNormalSize = 12;

template <typename T>
T load(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

std::uint64_t binary_size(std::uint32_t triangles) {
  return kStlHeaderSize + std::uint64_t{triangles} * kTriangleSize;
}

/// Each triangle has its own three corners; finish_mesh() merges them.
std::vector<std::array<std::uint32_t, 3>> consecutive_faces(std::size_t first_vertex, std::size_t count) {
  std::vector<std::array<std::uint32_t, 3>> faces(count);
  auto next = static_cast<std::uint32_t>(first_vertex);
  for (auto& face : faces) {
    for (std::uint32_t& corner : face) corner = next++;
  }
  return faces;
}

void check_face_count(std::size_t count, const MeshSource& source, std::size_t line) {
  if (count > kMaxMeshFaces)
    throw_mesh_error(source, line, fmt::format("more than {} triangles", kMaxMeshFaces));
}

/// `bytes` has exactly the size for its number of triangles.
GroupedMesh read_binary(std::span<const std::uint8_t> bytes, const MeshSource& source) {
  const std::size_t count = (bytes.size() - kStlHeaderSize) / kTriangleSize;
  check_face_count(count, source, 0);
  GroupedMesh mesh;
  mesh.vertices.reserve(3 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* at = bytes.data() + kStlHeaderSize + i * kTriangleSize + kNormalSize;
    for (int corner = 0; corner < 3; ++corner, at += 3 * sizeof(float)) {
      const Vec3 vertex(load<float>(at), load<float>(at + sizeof(float)), load<float>(at + 2 * sizeof(float)));
      check_vertex(vertex, source, 0);
      mesh.vertices.push_back(vertex);
    }
  }
  mesh.groups.emplace_back().faces = consecutive_faces(0, count);
  return mesh;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// solid NAME { facet normal X Y Z  outer loop  3 × (vertex X Y Z)  endloop  endfacet } endsolid NAME
class TextReader {
 public:
  TextReader(std::string_view text, const MeshSource& source) : text_(text), source_(source) {}

  GroupedMesh read() {
    while (!next().empty()) read_solid();
    return std::move(mesh_);
  }

 private:
  void read_solid() {
    if (!equal_ignoring_case(word_, "solid")) fail("'solid'");
    const std::string_view name = skip_line();  // may be any text
    const std::size_t first = mesh_.vertices.size();
    for (next(); equal_ignoring_case(word_, "facet"); next()) read_facet();
    if (!equal_ignoring_case(word_, "endsolid")) fail("'facet' or 'endsolid'");
    skip_line();
    const std::size_t count = (mesh_.vertices.size() - first) / 3;
    if (count > 0) {
      mesh_.groups.push_back({.object = std::string(name),
                              .object_number = static_cast<int>(mesh_.groups.size()),
                              .group = {},
                              .material = {},
                              .faces = consecutive_faces(first, count)});
    }
  }

  void read_facet() {
    expect("normal");
    for (int i = 0; i < 3; ++i) {
      if (next().empty()) fail("the normal of a facet");
    }
    expect("outer");
    expect("loop");
    check_face_count(mesh_.vertices.size() / 3 + 1, source_, line_);
    for (int corner = 0; corner < 3; ++corner) {
      expect("vertex");
      Vec3 vertex;
      for (double& coordinate : vertex) {
        if (next().empty()) fail("three coordinates");
        coordinate = read_coordinate(word_, source_, line_);
      }
      check_vertex(vertex, source_, line_);
      mesh_.vertices.push_back(vertex);
    }
    expect("endloop");
    expect("endfacet");
  }

  void expect(std::string_view keyword) {
    next();
    if (!equal_ignoring_case(word_, keyword)) fail(fmt::format("'{}'", keyword));
  }

  std::string_view next() {
    const std::string_view before = text_;
    word_ = take_word(text_);
    count_lines(before.substr(0, before.size() - text_.size()));
    return word_;
  }

  /// The rest of the line, trimmed.
  std::string_view skip_line() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view rest = text_.substr(0, end);
    text_.remove_prefix(end);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
    return rest.substr(0, rest.find_last_not_of(" \t\r") + 1);
  }

  void count_lines(std::string_view passed) {
    line_ += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
  }

  [[noreturn]] void fail(std::string_view expected) const {
    if (word_.empty())
      throw_mesh_error(source_, line_, fmt::format("the file ends too early; expected {}", expected));
    throw_mesh_error(source_, line_, fmt::format("found '{}'; expected {}", shown_text(word_), expected));
  }

  std::string_view text_;
  std::string_view word_;
  const MeshSource& source_;
  std::size_t line_ = 1;
  GroupedMesh mesh_;
};

}  // namespace

GroupedMesh read_stl_groups(std::span<const std::uint8_t> bytes, const MeshSource& source) {
  // Many binary files also begin with "solid", so the size decides. Text is never mistaken for binary: letters
  // in place of the number of triangles would mean at least 26 GB.
  const bool has_header = bytes.size() >= kStlHeaderSize;
  const std::uint32_t claimed = has_header ? load<std::uint32_t>(bytes.data() + kStlHeaderSize - 4) : 0;
  if (has_header && binary_size(claimed) == bytes.size()) return read_binary(bytes, source);

  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string_view rest = text;
  const bool has_zeros = text.substr(0, kStlHeaderSize).find('\0') != text.npos;
  if (equal_ignoring_case(take_word(rest), "solid") && !has_zeros) return TextReader(text, source).read();

  if (!has_header)
    throw_mesh_error(source, 0, "neither text that begins with 'solid' nor long enough for a binary STL");
  throw_mesh_error(
      source, 0,
      fmt::format("neither text that begins with 'solid' nor a binary STL: {} triangles take {} bytes, "
                  "the file has {}",
                  claimed, binary_size(claimed), bytes.size()));
}

Mesh read_stl(std::span<const std::uint8_t> bytes, const MeshSource& source) {
  return ungrouped(read_stl_groups(bytes, source), source);
}

}  // namespace lockstep
