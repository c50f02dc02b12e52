#include <algorithm>
#include <numbers>

#include "formats/common/link_mass.h"
#include "formats/mjcf/importer_internal.h"
#include "geometry/mass.h"
#include "geometry/tessellate.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// How far a round surface may lie inside the true one, of a ball of radius 1.
constexpr double kBallDeviation = 0.005;

}  // namespace

const MeshCollector::Item* MjcfImporter::find_mesh(const MjcfGeom& geom, const std::string& owner,
                                                   Vec3& scale) {
  const auto asset = mesh_assets_.find(geom.mesh);
  if (asset == mesh_assets_.end()) {
    diagnostics_.error(geom.place, "<geom> of '{}': unknown mesh '{}'", owner, xml::shown(geom.mesh));
    return nullptr;
  }
  scale = asset->second.scale;
  if (asset->second.file.empty()) return meshes_.find_made(geom.mesh + ".stl");
  return meshes_.find(asset->second.file, asset->second.place, "body '" + owner + "'");
}

void MjcfImporter::add_geom(const MjcfGeom& geom, std::vector<Shape>& shapes, const std::string& owner) {
  if (geom.type == "plane") return add_plane(geom, owner);
  if (geom.type == "hfield") return add_terrain(geom, owner);
  Shape shape;
  shape.place = geom.place;
  shape.name = geom.name.empty() ? "" : shape_names_.make(short_name(geom.name));
  shape.geometry = geom.geometry;
  shape.pose = geom.pose;
  shape.color = geom.color;
  shape.collide = geom.contact.type != 0 || geom.contact.affinity != 0 || !geom.contact.paired_geom.empty();
  constexpr int kGroupsShown = 3;  // by MuJoCo's viewer, unless told otherwise
  shape.visible = geom.group < kGroupsShown;
  if (shape.collide) shape.material = materials_.find(geom.contact);
  if (geom.type == "mesh") {
    Vec3 scale = Vec3::Ones();
    const MeshCollector::Item* item = find_mesh(geom, owner, scale);
    if (item == nullptr) return;
    shape.geometry = MeshFile{.src = item->src, .scale = scale};
  } else if (geom.type == "ellipsoid") {
    const MeshCollector::Item* ball = meshes_.add("unit-ball.stl", tessellated(Sphere{1.0}, kBallDeviation));
    shape.geometry = MeshFile{.src = ball->src, .scale = geom.radii};
    source_.lose(fmt::format("ellipsoid of body '{}': a mesh within {} of its radii", owner, kBallDeviation));
  }
  shapes.push_back(std::move(shape));
}

void MjcfImporter::add_plane(const MjcfGeom& geom, const std::string& owner) {
  constexpr double kLevel = 1e-9;
  const bool is_level = ((geom.pose.q * Vec3::UnitZ()) - Vec3::UnitZ()).norm() < kLevel;
  if (owner != "surroundings" || !is_level)
    return source_.lose(fmt::format("plane of '{}': only level planes of the world are a <ground>", owner));
  Ground& ground = scenario_.grounds.emplace_back();
  ground.place = geom.place;
  ground.name = robot_names_.make(geom.name.empty() ? "ground" : short_name(geom.name));
  ground.material = materials_.find(geom.contact);
  ground.height = geom.pose.p.z();
}

void MjcfImporter::add_terrain(const MjcfGeom& geom, const std::string& owner) {
  const auto asset = hfield_assets_.find(geom.hfield);
  const std::string file = asset == hfield_assets_.end() ? "" : XmlValues::text(asset->second, "file");
  const auto size = asset == hfield_assets_.end() ? std::nullopt : values_.numbers(asset->second, "size", 4, 4);
  const bool is_level = geom.pose.q.isApprox(Quat::Identity(), 1e-9);
  if (file.empty() || !file.ends_with(".png") || !size || owner != "surroundings" || !is_level)
    return source_.lose(
        fmt::format("height field '{}': only level ones of the world with a PNG are a <terrain>", geom.hfield));
  Result<FileContent> read = meshes_.finder().read(file, geom.place, Assets::kMaxFileBytes);
  if (!read) return source_.lose("height field '" + geom.hfield + "': its file " + read.error());
  Terrain& terrain = scenario_.terrains.emplace_back();
  terrain.place = geom.place;
  terrain.name = robot_names_.make(geom.name.empty() ? "terrain" : short_name(geom.name));
  terrain.src = meshes_.keep_file(std::filesystem::path(file).filename().string(), std::move(read->bytes));
  terrain.size = {2.0 * (*size)[0], 2.0 * (*size)[1], (*size)[2]};
  terrain.position = geom.pose.p;
  terrain.material = materials_.find(geom.contact);
  report_.assumed.push_back("height fields reach from black to white; MuJoCo stretches the picture to that");
}

std::optional<MassProperties> MjcfImporter::calc_mass(const MjcfBody& body, const std::string& name) {
  using enum MjcfCompiler::InertiaFrom;
  const MjcfCompiler& compiler = source_.compiler();
  std::optional<MassProperties> mass;
  const bool from_geoms = compiler.inertia_from == kGeoms || (compiler.inertia_from == kAuto && !body.inertial);
  mass = from_geoms ? geom_mass(body, name) : body.inertial;
  if (!mass || mass->mass <= 0.0) return std::nullopt;
  mass->mass = std::max(mass->mass, compiler.least_mass);
  if (compiler.least_inertia > 0.0) {
    for (int i = 0; i < 3; ++i) mass->inertia(i, i) = std::max(mass->inertia(i, i), compiler.least_inertia);
  }
  const std::string defect = find_mass_defect(*mass);
  if (defect.empty()) return mass;
  const auto mended = repaired(*mass);
  if (!mended) {
    diagnostics_.error(body.place, "body '{}': {}", name, defect);
    return std::nullopt;
  }
  report_.suspicious.push_back(
      fmt::format("body '{}': {}; the same is added to all moments until a body can have them", name, defect));
  return mended;
}

std::optional<MassProperties> MjcfImporter::geom_mass(const MjcfBody& body, const std::string& name) {
  const auto& [first_group, last_group] = source_.compiler().inertia_groups;
  std::optional<MassProperties> total;
  for (const MjcfGeom& geom : body.geoms) {
    if (geom.group < first_group || geom.group > last_group || geom.type == "plane" || geom.type == "hfield")
      continue;
    std::string note;
    Geometry geometry = geom.geometry;
    MassProperties unit;
    if (geom.type == "ellipsoid") {
      unit = ellipsoid_mass(geom.radii);
    } else {
      const MeshCollector::Item* item = nullptr;
      if (geom.type == "mesh") item = find_mesh(geom, name, std::get<MeshFile>(geometry).scale);
      unit = unit_mass_of(geometry, item == nullptr ? nullptr : &item->mesh, note);
      if (item != nullptr) report_mesh_mass(name, note);
    }
    if (!(unit.mass > 0.0)) continue;
    const double factor = geom.mass ? *geom.mass / unit.mass : geom.density;
    if (factor <= 0.0) continue;
    unit.mass *= factor;
    unit.inertia *= factor;
    unit = transformed(unit, geom.pose);
    total = total ? combined(*total, unit) : unit;
  }
  return total;
}

void MjcfImporter::report_mesh_mass(const std::string& body, const std::string& note) {
  report_.assumed.push_back(
      note.empty()
          ? fmt::format("body '{}': its mass is that of the exact mesh; MuJoCo 2.2 computes it otherwise "
                        "unless told exactmeshinertia",
                        body)
          : fmt::format("body '{}': its mesh encloses no volume ({}), the box around it is taken for its mass",
                        body, note));
}

MassProperties MjcfImporter::ellipsoid_mass(const Vec3& radii) {
  const double volume = 4.0 / 3.0 * std::numbers::pi * radii.prod();
  const Vec3 s = radii.cwiseAbs2();
  const Vec3 moments = volume / 5.0 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
  return {volume, Vec3::Zero(), moments.asDiagonal()};
}

}  // namespace lockstep
