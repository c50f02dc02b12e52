#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "geometry/mesh_builder.h"
#include "geometry/mesh_reader.h"

namespace lockstep {
namespace {

// Geometry that is not supported. Ignoring it would lose part of the surface; other statements only affect the
// appearance.
constexpr auto kCurved =
    std::to_array<std::string_view>({"cstype", "curv", "curv2", "surf", "bzp", "bsp", "cdc", "cdp"});
constexpr auto kForeign = std::to_array<std::string_view>({"call", "csh"});

constexpr std::size_t kMaxObjectName = 1000;  // bytes
constexpr std::size_t kMaxMaterialFiles = 10;

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The lines of a file without comments; a backslash at the end joins lines.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  /// The next line; valid until the next call. Empty at the end of the file.
  std::optional<std::string_view> next() {
    if (text_.empty()) return std::nullopt;
    first_line_ = line_ + 1;
    std::string_view part = take_physical_line();
    if (!part.ends_with('\\')) return part;
    joined_.clear();
    while (part.ends_with('\\')) {
      joined_.append(part.substr(0, part.size() - 1)).push_back(' ');
      part = take_physical_line();
    }
    joined_.append(part);
    return joined_;
  }
  std::size_t line() const { return first_line_; }  ///< where the last line began, from 1

 private:
  std::string_view take_physical_line() {
    const std::size_t end = text_.find('\n');
    std::string_view part = text_.substr(0, end);
    text_.remove_prefix(end == text_.npos ? text_.size() : end + 1);
    ++line_;
    // Remove comments first: a path in one may end in a backslash.
    part = part.substr(0, part.find('#'));
    if (part.ends_with('\r')) part.remove_suffix(1);
    return part;
  }

  std::string_view text_;
  std::string joined_;
  std::size_t line_ = 0;
  std::size_t first_line_ = 0;
};

class ObjReader {
 public:
  ObjReader(std::string_view text, const MeshSource& source) : lines_(text), source_(source) {}

  GroupedMesh read() {
    while (std::optional<std::string_view> line = lines_.next()) read_statement(*line);
    for (auto& [key, materials] : materials_) {
      const auto most = std::max_element(materials.begin(), materials.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      mesh_.groups[key].material = most->first;
    }
    return std::move(mesh_);
  }

 private:
  void read_statement(std::string_view rest) {
    const std::string_view keyword = take_word(rest);
    if (keyword == "v") return read_vertex(rest);
    if (keyword == "vt") return read_texture_vertex(rest);
    if (keyword == "f" || keyword == "fo") return read_face(rest);  // "fo" in old files
    if (keyword == "o") return begin_object(rest);
    if (keyword == "g") return set_name(group_, rest);
    if (keyword == "usemtl") return set_name(material_, rest);
    if (keyword == "mtllib") return add_material_files(rest);
    if (contains(kCurved, keyword)) {
      fail(fmt::format("'{}' belongs to a curved surface; expected polygons: tessellate when exporting",
                       keyword));
    }
    if (contains(kForeign, keyword)) {
      fail(fmt::format("'{}' refers to another file; expected the whole mesh in one file", keyword));
    }
  }

  // Names may contain spaces, but not at either end.
  static std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
  }

  void begin_object(std::string_view rest) {
    set_name(object_, rest);
    group_.clear();
    ++object_number_;
  }
  void set_name(std::string& name, std::string_view rest) {
    name = trimmed(rest).substr(0, kMaxObjectName);
    current_.reset();
  }
  void add_material_files(std::string_view rest) {
    if (mesh_.material_files.size() < kMaxMaterialFiles)
      mesh_.material_files.emplace_back(trimmed(rest).substr(0, kMaxObjectName));
  }

  /// The current group of faces. A repeated name continues the group.
  MeshGroup& current_group() {
    if (!current_) {
      const auto [at, is_new] = index_.try_emplace({object_number_, group_}, mesh_.groups.size());
      if (is_new) {
        MeshGroup& group = mesh_.groups.emplace_back();
        group.object = object_;
        group.object_number = object_number_;
        group.group = group_;
      }
      current_ = at->second;
    }
    return mesh_.groups[*current_];
  }

  // Weights and colours may follow the coordinates.
  void read_vertex(std::string_view rest) {
    if (mesh_.vertices.size() == kMaxMeshVertices) fail(fmt::format("more than {} vertices", kMaxMeshVertices));
    Vec3 vertex;
    for (double& coordinate : vertex) {
      const std::string_view word = take_word(rest);
      if (word.empty()) fail("a vertex ends too early; expected three coordinates");
      coordinate = read_coordinate(word, source_, lines_.line());
    }
    check_vertex(vertex, source_, lines_.line());
    mesh_.vertices.push_back(vertex);
  }

  // Only for colours, so an invalid one is ignored.
  void read_texture_vertex(std::string_view rest) {
    if (texture_points_.size() == kMaxMeshVertices) return;
    std::array<float, 2>& point = texture_points_.emplace_back();
    for (float& coordinate : point) {
      const std::string_view word = take_word(rest);
      std::from_chars(word.data(), word.data() + word.size(), coordinate);
    }
  }

  struct Corner {
    std::uint32_t vertex = 0;
    std::array<float, 2> texture_point{};
  };

  void read_face(std::string_view rest) {
    MeshGroup& group = current_group();
    if (!material_.empty()) ++materials_[*current_][material_];
    const bool has_materials = !mesh_.material_files.empty();
    const std::uint32_t material = has_materials ? find_material() : 0;
    std::array<Corner, 3> fan{};
    std::size_t corners = 0;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const Corner corner = read_corner(word);
      if (corners >= 3) fan[1] = fan[2];
      fan[std::min<std::size_t>(corners, 2)] = corner;
      if (++corners < 3) continue;
      if (face_count_++ == kMaxMeshFaces) fail(fmt::format("more than {} triangles", kMaxMeshFaces));
      group.faces.push_back({fan[0].vertex, fan[1].vertex, fan[2].vertex});
      if (!has_materials) continue;
      group.materials.push_back(material);
      std::array<float, 2>& middle = group.texture_points.emplace_back();
      for (std::size_t i = 0; i < 2; ++i)
        middle[i] = (fan[0].texture_point[i] + fan[1].texture_point[i] + fan[2].texture_point[i]) / 3.0f;
    }
    if (corners < 3) fail(fmt::format("face has {} vertices; expected at least 3", corners));
  }

  /// The index of the current material.
  std::uint32_t find_material() {
    const auto [known, is_new] =
        material_numbers_.try_emplace(material_, static_cast<std::uint32_t>(mesh_.materials.size()));
    if (is_new) mesh_.materials.push_back(material_);
    return known->second;
  }

  /// "7", "7/1", "7/1/2", "7//2" or the same with negative numbers, which count back from the last vertex.
  Corner read_corner(std::string_view word) const {
    const std::string_view whole = word;
    std::array<std::optional<std::int64_t>, 3> index;
    for (std::size_t i = 0;; ++i) {
      const std::size_t end = std::min(word.find('/'), word.size());
      const std::string_view number = word.substr(0, end);
      if (!number.empty()) {
        index[i].emplace();
        const auto [at, error] = std::from_chars(number.data(), number.data() + number.size(), *index[i]);
        if (error != std::errc{} || at != number.data() + number.size()) fail_corner(whole);
      }
      if (end == word.size()) break;
      if (i == 2) fail_corner(whole);
      word.remove_prefix(end + 1);
    }
    if (!index[0]) fail_corner(whole);

    const auto count = static_cast<std::int64_t>(mesh_.vertices.size());
    const std::int64_t from_zero = *index[0] > 0 ? *index[0] - 1 : count + *index[0];
    if (*index[0] == 0 || from_zero < 0 || from_zero >= count) {
      fail(fmt::format("face references vertex {}; the file has {} vertices so far", *index[0], count));
    }
    Corner corner{.vertex = static_cast<std::uint32_t>(from_zero)};
    const auto points = static_cast<std::int64_t>(texture_points_.size());
    const std::int64_t point = index[1] ? (*index[1] > 0 ? *index[1] - 1 : points + *index[1]) : -1;
    if (point >= 0 && point < points) corner.texture_point = texture_points_[static_cast<std::size_t>(point)];
    return corner;
  }

  [[noreturn]] void fail_corner(std::string_view word) const {
    fail(fmt::format("'{}' is not a corner of a face; expected one such as '7', '7/1' or '7/1/2'",
                     shown_text(word)));
  }
  [[noreturn]] void fail(std::string_view text) const { throw_mesh_error(source_, lines_.line(), text); }

  LineReader lines_;
  const MeshSource& source_;
  GroupedMesh mesh_;
  std::size_t face_count_ = 0;
  std::vector<std::array<float, 2>> texture_points_;
  std::map<std::string, std::uint32_t> material_numbers_;
  std::string object_, group_, material_;
  int object_number_ = 0;
  std::optional<std::size_t> current_;
  std::map<std::pair<int, std::string>, std::size_t> index_;
  std::map<std::size_t, std::map<std::string, std::size_t>> materials_;  // by group, with face counts
};

}  // namespace

GroupedMesh read_obj_groups(std::string_view text, const MeshSource& source) {
  GroupedMesh mesh = ObjReader(text, source).read();
  std::erase_if(mesh.groups, [](const MeshGroup& group) { return group.faces.empty(); });
  return mesh;
}

Mesh read_obj(std::string_view text, const MeshSource& source) {
  return ungrouped(read_obj_groups(text, source), source);
}

}  // namespace lockstep
