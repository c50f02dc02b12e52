#include <algorithm>
#include <cmath>
#include <filesystem>

#include "formats/mjcf/importer_internal.h"
#include "geometry/hull.h"
#include "scenario/xml_text.h"

namespace lockstep {

MjcfAssets::MjcfAssets(const MjcfImport& import) : import_(import) {
  for (const Element* item : import_.source.section("asset")) {
    const Element e = import_.source.resolved(*item, item->name, "");
    std::string name = XmlValues::text(e, "name");
    std::string file = XmlValues::text(e, "file");
    if (import_.source.compiler().strips_paths) file = std::filesystem::path(file).filename().string();
    if (name.empty()) name = std::filesystem::path(file).stem().string();
    if (item->name == "mesh") {
      if (e.find_attribute("refpos") != nullptr || e.find_attribute("refquat") != nullptr)
        import_.source.differ(item->place, "refpos and refquat of mesh '" + name + "'");
      if (file.empty()) {
        add_inline_mesh(e, name);
        continue;
      }
      meshes_[name] = {file, import_.values().vector(e, "scale", Vec3::Ones()), item->place};
    } else if (item->name == "hfield") {
      hfields_[name] = *item;
    } else if (item->name == "texture" || item->name == "skin") {
      import_.source.lose("<" + item->name + ">");
    }
  }
}

void MjcfAssets::add_inline_mesh(const Element& e, const std::string& name) {
  constexpr std::size_t kMaxNumbers = 300'000;
  const auto vertices = import_.values().numbers(e, "vertex", 12, kMaxNumbers);
  if (!vertices || vertices->size() % 3 != 0) {
    import_.diagnostics.error(
        e.place, "mesh '{}' has no file, and no 'vertex' with three numbers for each of its points",
        xml::shown(name));
    return;
  }
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < vertices->size(); i += 3)
    points.emplace_back((*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]);
  meshes_[name] = {"", import_.values().vector(e, "scale", Vec3::Ones()), e.place};
  // Without faces it is the hull of its points.
  if (e.find_attribute("face") == nullptr) {
    (void)import_.meshes.add(name + ".stl", convex_hull(points));
    return;
  }
  lockstep::Mesh mesh{.vertices = std::move(points), .faces = {}};
  const auto corners = import_.values().numbers(e, "face", 3, kMaxNumbers).value_or(std::vector<double>{});
  const auto is_corner = [&](double corner) {
    return corner >= 0.0 && corner < static_cast<double>(mesh.vertices.size()) && corner == std::floor(corner);
  };
  if (corners.size() % 3 != 0 || !std::all_of(corners.begin(), corners.end(), is_corner)) {
    import_.diagnostics.error(e.place, "mesh '{}': expected three numbers of points for each face, 0 to {}",
                              xml::shown(name), mesh.vertices.size() - 1);
    return;
  }
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
    mesh.faces.push_back({static_cast<std::uint32_t>(corners[i]), static_cast<std::uint32_t>(corners[i + 1]),
                          static_cast<std::uint32_t>(corners[i + 2])});
  (void)import_.meshes.add(name + ".stl", std::move(mesh));
}

const MeshCollector::Item* MjcfAssets::find_mesh(const MjcfGeom& geom, const std::string& owner,
                                                 Vec3& scale) const {
  const auto asset = meshes_.find(geom.mesh);
  if (asset == meshes_.end()) {
    import_.diagnostics.error(geom.place, "<geom> of '{}': unknown mesh '{}'", owner, xml::shown(geom.mesh));
    return nullptr;
  }
  scale = asset->second.scale;
  if (asset->second.file.empty()) return import_.meshes.find_made(geom.mesh + ".stl");
  return import_.meshes.find(asset->second.file, asset->second.place, "body '" + owner + "'");
}

const Element* MjcfAssets::find_hfield(const std::string& name) const {
  const auto found = hfields_.find(name);
  return found == hfields_.end() ? nullptr : &found->second;
}

}  // namespace lockstep
