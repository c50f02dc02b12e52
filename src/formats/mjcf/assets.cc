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
  // Without faces it is the hull of its points; collisions use the hull in any case.
  if (e.find_attribute("face") != nullptr)
    import_.source.differ(e.place, "face of mesh '" + name + "': its hull is used");
  meshes_[name] = {"", import_.values().vector(e, "scale", Vec3::Ones()), e.place};
  (void)import_.meshes.add(name + ".stl", convex_hull(points));
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
