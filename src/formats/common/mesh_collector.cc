#include "formats/common/mesh_collector.h"

#include <algorithm>

#include "geometry/assembly_reader.h"
#include "geometry/mesh_reader.h"
#include "geometry/stl_writer.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr std::size_t kMaxStem = 50;

std::string lower_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return ending;
}

/// Formats read in a separate process; robot files use their numbers without unit conversion.
bool is_assembly(const std::string& ending) {
  return ending == ".dae" || ending == ".gltf" || ending == ".glb";
}

}  // namespace

MeshCollector::Item* MeshCollector::keep(const std::string& key, const std::string& name, Mesh mesh,
                                         std::string bytes) {
  auto item = std::make_unique<Item>();
  item->src = keep_file(name, std::move(bytes));
  item->mesh = std::move(mesh);
  return (by_path_[key] = std::move(item)).get();
}

MeshCollector::Item* MeshCollector::keep_assembly(const std::string& key, const std::string& stem,
                                                  const Assembly& assembly) {
  Mesh whole = as_one_mesh(assembly);
  std::string bytes = write_stl(whole, 1.0, stem);
  Item* item = keep(key, stem + ".stl", std::move(whole), std::move(bytes));
  keep_colors(stem, assembly, *item);
  return item;
}

void MeshCollector::keep_colors(const std::string& stem, const Assembly& assembly, Item& item) {
  const std::vector<ColoredMesh> meshes = split_by_color(assembly);
  for (const ColoredMesh& each : meshes) {
    std::string src = item.src;
    if (meshes.size() > 1) src = keep_file(stem + "-color.stl", write_stl(each.mesh, 1.0, stem));
    item.colored.emplace_back(std::move(src), each.color);
  }
  for (const std::string& line : assembly.notes.lost) {
    if (line.find("texture") != line.npos || line.find("colours") != line.npos)
      report_.lost.push_back(fmt::format("mesh '{}': {}", stem, line));
  }
}

void MeshCollector::add_visible(const Item& item, const Shape& shape, std::vector<Shape>& shapes) {
  if (shape.color || item.colored.empty()) {
    Shape& whole = shapes.emplace_back(shape);
    std::get<MeshFile>(whole.geometry).src = item.src;
    return;
  }
  for (const auto& [src, color] : item.colored) {
    Shape& piece = shapes.emplace_back(shape);
    std::get<MeshFile>(piece.geometry).src = src;
    piece.color = color;
    if (&src != &item.colored.front().first) piece.name.clear();  // names are unique
  }
}

std::string MeshCollector::keep_file(const std::string& name, std::string bytes) {
  // The extension determines the format and stays at the end.
  const std::filesystem::path path = name;
  const std::string unique = names_.make(path.stem().string().substr(0, kMaxStem));
  files_.push_back({folder_ + "/" + unique + lower_ending(path), std::move(bytes)});
  return files_.back().path;
}

const MeshCollector::Item* MeshCollector::find_made(const std::string& name) const {
  const auto known = by_path_.find("made:" + name);
  return known == by_path_.end() ? nullptr : known->second.get();
}

const MeshCollector::Item* MeshCollector::add(const std::string& name, Mesh mesh) {
  if (const Item* known = find_made(name)) return known;
  std::string bytes = write_stl(mesh, 1.0, name);
  return keep("made:" + name, name, std::move(mesh), std::move(bytes));
}

Result<FileContent> MeshCollector::find_file(const std::string& uri, const Place& place) {
  Result<FileContent> file = finder_.read(uri, place, Assets::kMaxFileBytes);
  if (file) return file;
  Result<FileContent> near = finder_.find_by_name(uri, Assets::kMaxFileBytes);
  if (!near) return file;
  report_.assumed.push_back(fmt::format("{}: '{}' does not exist: '{}', found by its file name, is used",
                                        to_string(place), shown_path(uri), finder_.shown_below(near->path)));
  return near;
}

const MeshCollector::Item* MeshCollector::find(const std::string& uri, const Place& place,
                                               const std::string& user) {
  if (const auto known = by_path_.find(uri); known != by_path_.end()) return known->second.get();
  std::string problem;
  try {
    Result<FileContent> file = find_file(uri, place);
    if (file) {
      const std::string name = file->path.filename().string();
      if (is_assembly(lower_ending(file->path))) {
        return keep_assembly(uri, file->path.stem().string(),
                             read_assembly(file->bytes, name, file->path.parent_path(), {.turns_up = false}));
      }
      const auto* data = reinterpret_cast<const std::uint8_t*>(file->bytes.data());
      Mesh mesh = read_mesh({data, file->bytes.size()}, name, place);
      // The colours of an OBJ are in another file.
      std::optional<Assembly> colored;
      if (lower_ending(file->path) == ".obj" && file->bytes.find("mtllib") != std::string::npos)
        colored = read_assembly(file->bytes, name, file->path.parent_path(), {.turns_up = false});
      Item* item = keep(uri, name, std::move(mesh), std::move(file->bytes));
      if (colored) keep_colors(file->path.stem().string(), *colored, *item);
      return item;
    }
    problem = file.error();
  } catch (const UserError& error) {
    problem = error.diagnostics().list().front().text;
  }
  report_.lost.push_back(fmt::format("{}: {}: its mesh is omitted: {}", to_string(place), user, problem));
  by_path_[uri] = nullptr;
  return nullptr;
}

}  // namespace lockstep
