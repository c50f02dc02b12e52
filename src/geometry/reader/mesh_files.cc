#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "geometry/assembly_builder.h"
#include "geometry/face_colors.h"
#include "geometry/reader/read_job.h"

namespace lockstep {
namespace {

struct ObjMaterial {
  FaceColor color = {0.8, 0.8, 0.8, 1.0};
  std::string texture_file = {};
  std::optional<Texture> texture = {};
};
using Materials = std::map<std::string, ObjMaterial, std::less<>>;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// A channel of a colour; empty if the word is not a number.
std::optional<double> read_channel(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return std::clamp(value, 0.0, 1.0);
}

/// The file of "map_Kd -s 1 1 1 wood.png": what follows the options, whose numbers differ in count.
std::string texture_name(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('-')) return std::string(line);
  std::string_view last;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) last = word;
  return std::string(last);
}

/// The materials of a file: newmtl NAME, Kd R G B, d OPACITY, map_Kd FILE. Other lines are ignored.
void read_materials(std::string_view text, Materials& materials) {
  ObjMaterial* material = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view keyword = take_word(line);
    if (keyword == "newmtl") {
      material = &materials.insert_or_assign(std::string(trimmed(line)), ObjMaterial{}).first->second;
    } else if (material != nullptr && keyword == "Kd") {
      for (std::size_t i = 0; i < 3; ++i)
        material->color[i] = read_channel(take_word(line)).value_or(material->color[i]);
    } else if (material != nullptr && keyword == "d") {
      material->color[3] = read_channel(take_word(line)).value_or(1.0);
    } else if (material != nullptr && keyword == "map_Kd") {
      material->texture_file = texture_name(line);
    }
  }
}

Materials find_materials(const std::vector<std::string>& files, const FindFile& find_file, ImportNotes& notes) {
  Materials materials;
  for (const std::string& name : files) {
    const Result<FileContent> file = find_file(name);
    if (file) {
      read_materials(file->bytes, materials);
    } else {
      notes.lost.push_back(fmt::format("the colours: the material file {}", file.error()));
    }
  }
  for (auto& [name, material] : materials) {
    if (material.texture_file.empty()) continue;
    std::replace(material.texture_file.begin(), material.texture_file.end(), '\\', '/');
    material.texture = find_texture(material.texture_file, find_file, notes);
  }
  return materials;
}

/// Colours the part and, if it has several colours, the faces of its shape.
void set_colors(const GroupedMesh& mesh, const MeshGroup& group, const Materials& materials,
                const MeshSource& source, Part& part, PartShape& shape) {
  if (group.materials.empty()) return;
  std::vector<const ObjMaterial*> used;
  bool has_any = false;
  for (const std::string& name : mesh.materials) {
    const auto found = materials.find(name);
    used.push_back(found == materials.end() ? nullptr : &found->second);
  }
  std::vector<FaceColor> colors;
  for (std::size_t i = 0; i < group.faces.size(); ++i) {
    const ObjMaterial* material = used[group.materials[i]];
    has_any = has_any || material != nullptr;
    FaceColor color = material == nullptr ? ObjMaterial{}.color : material->color;
    if (material != nullptr && material->texture) {
      const FaceColor texture = material->texture->at(group.texture_points[i][0], group.texture_points[i][1]);
      // Some programs write black below a texture.
      const bool is_black = color[0] == 0.0 && color[1] == 0.0 && color[2] == 0.0;
      for (std::size_t c = 0; c < 3; ++c) color[c] = is_black ? texture[c] : color[c] * texture[c];
    }
    colors.push_back(color);
  }
  if (!has_any) return;
  ColoredFaces split = split_by_color(mesh.vertices, group.faces, colors, source);
  part.color = split.main;
  shape.colored = std::move(split.meshes);
}

void scale(GroupedMesh& mesh, const ReadJob& job, AssemblyBuilder& builder, const MeshSource& source) {
  const double unit = job.options.unit_length.value_or(1.0);
  if (!job.options.unit_length)
    builder.notes().assumed.emplace_back(
        "lengths are in metres: the format has no unit; set it with --unit-length");
  if (unit == 1.0) return;
  for (Vec3& vertex : mesh.vertices) {
    vertex *= unit;
    check_vertex(vertex, source, 0);
  }
}

/// Warns of an implausible size: most machines are larger than a millimetre and smaller than 50 m.
void check_size(const GroupedMesh& mesh, const ReadJob& job, ImportNotes& notes) {
  constexpr double kMax = 50.0, kMin = 1e-3;  // m
  Eigen::AlignedBox3d bounds;
  for (const Vec3& vertex : mesh.vertices) bounds.extend(vertex);
  const double size = bounds.isEmpty() ? 0.0 : bounds.sizes().maxCoeff();
  if (job.options.unit_length || (size <= kMax && size >= kMin)) return;
  notes.suspicious.push_back(
      fmt::format("it is {:.4g} m large; if its numbers are millimetres, give --unit-length 1mm", size));
}

/// One part for each group, below one part for each object with several groups.
Assembly build(GroupedMesh mesh, const ReadJob& job, const FindFile& find_file) {
  const Place place{job.file_name};
  const MeshSource source{{}, place};
  AssemblyBuilder builder(source);
  if (mesh.groups.empty())
    throw_mesh_error(source, 0, "the file has no faces; expected a surface of triangles or polygons");
  scale(mesh, job, builder, source);
  check_size(mesh, job, builder.notes());
  const Materials materials = find_materials(mesh.material_files, find_file, builder.notes());
  const std::vector<std::optional<Mesh>> meshes = separated(mesh, source);

  std::map<int, std::size_t> groups_of;
  for (const MeshGroup& group : mesh.groups) ++groups_of[group.object_number];
  std::map<int, int> object_parts;
  for (std::size_t i = 0; i < mesh.groups.size(); ++i) {
    const MeshGroup& group = mesh.groups[i];
    if (!meshes[i]) {
      builder.notes().lost.push_back(
          fmt::format("'{}': its faces have no area", clean_label(group.object + group.group)));
      continue;
    }
    int parent = -1;
    std::string_view label = group.object.empty() ? group.group : group.object;
    if (!group.object.empty() && groups_of[group.object_number] > 1) {
      const auto [at, is_new] = object_parts.try_emplace(group.object_number, -1);
      if (is_new) at->second = builder.add_part(group.object, stem(job.file_name), -1, {});
      parent = at->second;
      label = group.group;
    }
    const int part = builder.add_part(label, stem(job.file_name), parent, {});
    builder.part(part).shape = builder.add_mesh(*meshes[i], builder.part(part).name);
    builder.part(part).material = clean_label(group.material);
    set_colors(mesh, group, materials, source, builder.part(part), builder.shape(builder.part(part).shape));
  }
  return builder.finish();
}

}  // namespace

Assembly read_obj_file(const ReadJob& job, const FindFile& find_file) {
  const Place place{job.file_name};
  return build(read_obj_groups(job.bytes, {{}, place}), job, find_file);
}

Assembly read_stl_file(const ReadJob& job) {
  const Place place{job.file_name};
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(job.bytes.data()), job.bytes.size());
  return build(read_stl_groups(bytes, {{}, place}), job, {});
}

}  // namespace lockstep
