#include "design/body_mass.h"

#include "design/parts.h"
#include "geometry/mass.h"
#include "geometry/repair.h"

namespace lockstep {
namespace {

const Material* find_material(const Design& design, std::string_view name) {
  for (const Material& material : design.environment.materials) {
    if (material.name == name) return &material;
  }
  return nullptr;
}

Mat3 inertia_of(const Vec3& diagonal, const Vec3& products) {
  Mat3 I;
  I << diagonal.x(), products.x(), products.y(), products.x(), diagonal.y(), products.z(), products.y(),
      products.z(), diagonal.z();
  return I;
}

std::string text_of(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& one : list) text += (text.empty() ? "" : ", ") + one;
  return text;
}

}  // namespace

PartVolume calc_volume(const PartShape& shape) {
  if (shape.exact) return {.unit = shape.exact, .repair = {}, .defect = {}};
  if (shape.is_closed) return {.unit = unit_mass(shape.mesh), .repair = {}, .defect = {}};
  const RepairedMesh repaired = repair_mesh(shape.mesh);
  if (!repaired.defect.empty()) return {.unit = {}, .repair = {}, .defect = repaired.defect};
  return {.unit = unit_mass(repaired.mesh), .repair = text_of(repaired.done), .defect = {}};
}

MassCalculator::MassCalculator(const Design& design)
    : design_(design), volumes_(design.assembly->shapes.size()) {
  for (const PartShape& shape : design.assembly->shapes) has_solids_ = has_solids_ || shape.exact.has_value();
}

const PartVolume& MassCalculator::volume_of(int shape) {
  std::optional<PartVolume>& volume = volumes_[static_cast<std::size_t>(shape)];
  if (volume) return *volume;
  const PartShape& measured = design_.assembly->shapes[static_cast<std::size_t>(shape)];
  if (has_solids_ && !measured.exact) {
    volume = PartVolume{.unit = {}, .repair = {}, .defect = "it is a surface, not a solid"};
  } else {
    volume = calc_volume(measured);
  }
  return *volume;
}

double MassCalculator::density_of(const DesignBody& body, const Part& part, std::vector<std::string>& assumed) {
  if (const Material* material = find_material(design_, body.material)) return material->density;
  if (part.density) return *part.density;
  if (const Material* material = find_material(design_, part.material)) return material->density;
  const Material* changed = find_material(design_, "default");
  const double density = changed != nullptr ? changed->density : Material{}.density;
  if (!has_said_default_ && changed == nullptr) {
    assumed.push_back(fmt::format("'{}' and others have no material: {} kg/m^3", body.name, density));
    has_said_default_ = true;
  }
  return density;
}

MassProperties MassCalculator::calc(const DesignBody& body, Diagnostics& diagnostics,
                                    std::vector<std::string>& assumed) {
  const std::optional<GivenMass>& given = body.mass;
  if (given && given->center && given->diagonal)
    return {given->mass, *given->center, inertia_of(*given->diagonal, given->products)};
  MassProperties total;
  bool is_first = true;
  for (const int index : body.parts) {
    const Part& part = design_.assembly->parts[static_cast<std::size_t>(index)];
    const PartVolume& volume = volume_of(part.shape);
    if (!volume.unit) {
      // Surfaces without volume are ignored if other parts have a mass.
      assumed.push_back(fmt::format("'{}': part '{}' has no mass: {}", body.name, part.name, volume.defect));
      continue;
    }
    if (!volume.repair.empty())
      assumed.push_back(fmt::format("part '{}' was repaired: {}", part.name, volume.repair));
    MassProperties mass = *volume.unit;
    const double density = density_of(body, part, assumed);
    mass.mass *= density;
    mass.inertia *= density;
    mass = transformed(mass, calc_pose(*design_.assembly, index));
    total = is_first ? mass : combined(total, mass);
    is_first = false;
  }
  if (is_first) {
    if (body.parts.empty() || body.is_static) return {};
    if (!given) {
      diagnostics.error(body.place,
                        "'{}': none of its {} parts encloses a volume; fix them or give it a <set_mass>",
                        body.name, body.parts.size());
      return {};
    }
    // A mass but no volume: distributed evenly over the bounding box.
    const Eigen::AlignedBox3d box = calc_bounds(*design_.assembly, body.parts);
    total = unit_mass(Box{box.sizes().cwiseMax(1e-6)});
    total.center = box.center();
    assumed.push_back(fmt::format("'{}': its mass is distributed over its bounding box", body.name));
  }
  if (given) {
    total.inertia *= given->mass / total.mass;
    total.mass = given->mass;
    if (given->center) total.center = *given->center;
    if (given->diagonal) total.inertia = inertia_of(*given->diagonal, given->products);
  }
  return total;
}

}  // namespace lockstep
