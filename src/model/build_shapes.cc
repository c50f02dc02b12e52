#include <algorithm>

#include "geometry/mass.h"
#include "geometry/mesh_reader.h"
#include "model/builder_internal.h"

namespace lockstep {

std::optional<MeshId> ModelBuilder::load_mesh(const MeshFile& file, const Place& place) {
  // Identified by its name and the folder of the referencing file: includes may use the same name twice.
  const std::string folder = std::filesystem::path(place.file).parent_path().string();
  const std::string key =
      fmt::format("{}|{}|{}|{}|{}", folder, file.src, file.scale.x(), file.scale.y(), file.scale.z());
  const auto known = meshes_.find(key);
  if (known != meshes_.end()) {
    if (!known->second) diagnostics_.mark_broken(place);
    return known->second;
  }

  std::optional<MeshId> id;
  try {
    Mesh mesh = read_mesh(assets_.load(file.src, place, "<mesh>"), file.src, place);
    for (Vec3& vertex : mesh.vertices) vertex = vertex.cwiseProduct(file.scale);
    // An odd number of mirrored axes flips the faces.
    if (file.scale.prod() < 0.0) {
      for (auto& face : mesh.faces) std::swap(face[1], face[2]);
    }
    model_.meshes.push_back(std::move(mesh));
    id = MeshId{static_cast<int>(model_.meshes.size()) - 1};
  } catch (const UserError& error) {
    if (!diagnostics_.is_broken(place) && !diagnostics_.is_missing({}, file.src))
      diagnostics_.add_all(error.diagnostics());
    diagnostics_.mark_broken(place);
  }
  meshes_.emplace(key, id);
  return id;
}

ShapeGeometry ModelBuilder::resolve_geometry(const Shape& shape, const std::string& subject) {
  if (const auto* file = std::get_if<MeshFile>(&shape.geometry)) {
    if (file->scale.prod() == 0.0) {
      if (!diagnostics_.is_broken(shape.place)) {
        diagnostics_.error(
            shape.place, "{}: a scale of 0 makes the mesh flat; expected three factors other than 0", subject);
      }
      diagnostics_.mark_broken(shape.place);
      return PlaneGeometry{};
    }
    const std::optional<MeshId> mesh = load_mesh(*file, shape.place);
    if (!mesh) return PlaneGeometry{};
    return MeshGeometry{*mesh};
  }
  if (const auto* box = std::get_if<Box>(&shape.geometry)) return *box;
  if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) return *sphere;
  if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) return *capsule;
  return std::get<Cylinder>(shape.geometry);
}

void ModelBuilder::add_shapes(const std::vector<Shape>& shapes, BodyId body) {
  const std::string body_name = model_.body(body).name;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    ShapeModel added;
    added.name = fmt::format("{}/{}", body_name, shape.name.empty() ? std::to_string(i + 1) : shape.name);
    claim("shape", added.name, shape.place);
    const std::string subject = "shape '" + added.name + "'";
    added.body = body;
    added.X_BS = shape.pose;
    added.geometry = resolve_geometry(shape, subject);
    added.material = resolve_material(shape.material, shape.place, subject);
    added.color = shape.color.value_or(model_.materials[index(added.material)].color);
    added.collide = shape.collide;
    added.visible = shape.visible;
    added.drag = shape.drag;
    added.place = shape.place;
    model_.shapes.push_back(added);
  }
}

void ModelBuilder::add_sites(const std::vector<Site>& sites, BodyId body, const std::string& scope) {
  for (const Site& site : sites) {
    const std::string name = scope + "/" + site.name;
    if (!claim("site", name, site.place)) continue;
    model_.sites.push_back({name, body, site.pose, site.place});
  }
}

MassProperties ModelBuilder::shape_mass(const Shape& shape, const std::string& subject) {
  if (shape.mass && *shape.mass == 0.0) return {};  // regardless of its volume
  MassProperties unit;
  if (const auto* file = std::get_if<MeshFile>(&shape.geometry)) {
    const std::optional<MeshId> id = load_mesh(*file, shape.place);
    if (!id) return {};
    const Mesh& mesh = model_.meshes[index(*id)];
    const std::string defect = find_mesh_defect(mesh);
    if (!defect.empty()) {
      diagnostics_.error(shape.place,
                         "{}: mesh '{}' encloses no volume: {}; fix it or give the body an <inertial>", subject,
                         file->src, defect);
      diagnostics_.mark_broken(shape.place);
      return {};
    }
    unit = unit_mass(mesh);
  } else if (const auto* box = std::get_if<Box>(&shape.geometry)) {
    unit = unit_mass(*box);
  } else if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) {
    unit = unit_mass(*sphere);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) {
    unit = unit_mass(*capsule);
  } else {
    unit = unit_mass(std::get<Cylinder>(shape.geometry));
  }
  // add_shapes() reports an unknown one.
  const MaterialId material = find_material(shape.material).value_or(MaterialId{0});
  double density = shape.density.value_or(model_.materials[index(material)].density);
  if (shape.mass) density = *shape.mass / unit.mass;
  unit.inertia *= density;
  unit.mass = shape.mass.value_or(unit.mass * density);
  return transformed(unit, shape.pose);
}

bool ModelBuilder::is_mass_unknown(const std::vector<Shape>& shapes, const std::optional<Inertial>& inertial,
                                   const Place& place) const {
  if (diagnostics_.is_broken(place)) return true;
  if (inertial) return diagnostics_.is_broken(inertial->place);
  return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
    const std::optional<MaterialId> material = find_material(shape.material);
    return diagnostics_.is_broken(shape.place) || !material ||
           diagnostics_.is_broken(model_.materials[index(*material)].place);
  });
}

MassProperties ModelBuilder::calc_mass(const std::vector<Shape>& shapes,
                                       const std::optional<Inertial>& inertial, const std::string& subject,
                                       const Place& place, bool moves) {
  MassProperties total;
  if (inertial) {
    const Vec3& d = inertial->diagonal;
    const Vec3& o = inertial->products;
    total.mass = inertial->mass;
    total.center = inertial->center;
    total.inertia << d.x(), o.x(), o.y(), o.x(), d.y(), o.z(), o.y(), o.z(), d.z();
  } else {
    bool is_first = true;
    for (const Shape& shape : shapes) {
      const MassProperties mass = shape_mass(shape, subject);
      if (mass.mass == 0.0) continue;
      total = is_first ? mass : combined(total, mass);
      is_first = false;
    }
  }
  if (is_mass_unknown(shapes, inertial, place)) return total;
  if (total.mass == 0.0) {
    if (moves)
      diagnostics_.error(place, "{}: moves but has no mass; give it a shape with a mass or an <inertial>",
                         subject);
    return total;
  }
  const std::string defect = find_mass_defect(total);
  if (!defect.empty()) {
    diagnostics_.error(inertial ? inertial->place : place, "{}: impossible mass properties: {}", subject,
                       defect);
  }
  return total;
}

}  // namespace lockstep
