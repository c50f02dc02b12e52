#include <filesystem>

#include "formats/mjcf/importer_internal.h"
#include "geometry/tessellate.h"

namespace lockstep {
namespace {

/// Maximum deviation of a round surface from the exact one, for a sphere of radius 1.
constexpr double kBallDeviation = 0.005;

}  // namespace

void MjcfShapes::add(const MjcfGeom& geom, std::vector<Shape>& shapes, const std::string& owner) {
  if (geom.type == "plane") return add_plane(geom, owner);
  if (geom.type == "hfield") return add_terrain(geom, owner);
  Shape shape;
  shape.place = geom.place;
  shape.name = geom.name.empty() ? "" : names_.make(short_mjcf_name(geom.name));
  shape.geometry = geom.geometry;
  shape.pose = geom.pose;
  shape.color = geom.color;
  shape.collide = geom.contact.type != 0 || geom.contact.affinity != 0 || !geom.contact.paired_geom.empty();
  constexpr int kGroupsShown = 3;  // by MuJoCo's viewer by default
  shape.visible = geom.group < kGroupsShown;
  if (shape.collide) shape.material = materials_.find(geom.contact, geom.place);
  if (geom.type == "mesh") {
    Vec3 scale = Vec3::Ones();
    const MeshCollector::Item* item = assets_.find_mesh(geom, owner, scale);
    if (item == nullptr) return;
    shape.geometry = MeshFile{.src = item->src, .scale = scale};
  } else if (geom.type == "ellipsoid") {
    const MeshCollector::Item* ball =
        import_.meshes.add("unit-ball.stl", tessellated(Sphere{1.0}, kBallDeviation));
    shape.geometry = MeshFile{.src = ball->src, .scale = geom.radii};
    import_.source.differ(geom.place, fmt::format("ellipsoid of body '{}': a mesh within {} of its radii",
                                                  owner, kBallDeviation));
  }
  shapes.push_back(std::move(shape));
}

void MjcfShapes::add_plane(const MjcfGeom& geom, const std::string& owner) {
  constexpr double kLevel = 1e-9;
  const bool is_level = ((geom.pose.q * Vec3::UnitZ()) - Vec3::UnitZ()).norm() < kLevel;
  if (owner != "surroundings" || !is_level)
    return import_.source.differ(
        geom.place, fmt::format("plane of '{}': only horizontal planes of the world become a <ground>", owner));
  Ground& ground = import_.scenario.grounds.emplace_back();
  ground.place = geom.place;
  ground.name = import_.top_names.make(geom.name.empty() ? "ground" : short_mjcf_name(geom.name));
  ground.material = materials_.find(geom.contact, geom.place);
  ground.height = geom.pose.p.z();
}

void MjcfShapes::add_terrain(const MjcfGeom& geom, const std::string& owner) {
  const Element* asset = assets_.find_hfield(geom.hfield);
  const std::string file = asset == nullptr ? "" : XmlValues::text(*asset, "file");
  const auto size = asset == nullptr ? std::nullopt : import_.values().numbers(*asset, "size", 4, 4);
  const bool is_level = geom.pose.q.isApprox(Quat::Identity(), 1e-9);
  if (file.empty() || !file.ends_with(".png") || !size || owner != "surroundings" || !is_level)
    return import_.source.differ(
        geom.place,
        fmt::format("height field '{}': only horizontal ones of the world with a PNG become a <terrain>",
                    geom.hfield));
  Result<FileContent> read = import_.meshes.finder().read(file, geom.place, Assets::kMaxFileBytes);
  if (!read)
    return import_.source.differ(geom.place, "height field '" + geom.hfield + "': its file " + read.error());
  Terrain& terrain = import_.scenario.terrains.emplace_back();
  terrain.place = geom.place;
  terrain.name = import_.top_names.make(geom.name.empty() ? "terrain" : short_mjcf_name(geom.name));
  terrain.src =
      import_.meshes.keep_file(std::filesystem::path(file).filename().string(), std::move(read->bytes));
  terrain.size = {2.0 * (*size)[0], 2.0 * (*size)[1], (*size)[2]};
  terrain.position = geom.pose.p;
  terrain.material = materials_.find(geom.contact, geom.place);
  import_.source.differ(geom.place,
                        "height fields range from black to white; MuJoCo scales the image to its range");
}

}  // namespace lockstep
