#include "formats/urdf/masses.h"

#include <algorithm>
#include <cmath>

#include "formats/common/link_mass.h"
#include "geometry/mass.h"

namespace lockstep {
namespace {

/// Mass of links that need one but have no shape to compute it from, kg.
constexpr double kAssumedMass = 1e-3;
/// An inertia whose radius of gyration exceeds the size of the shapes by this factor is suspicious.
constexpr double kFarOut = 3.0;

/// The inertia of the shapes, scaled to the mass and moved to the centre in the file.
MassProperties transformed_to(const std::optional<MassProperties>& shapes, const UrdfInertial& given) {
  MassProperties mass = shapes.value_or(make_grain(given.mass));
  mass.inertia *= given.mass / mass.mass;
  mass.mass = given.mass;
  mass.center = given.pose.p;
  return mass;
}

double calc_reach(const UrdfShape& shape, const MeshCollector::Item* item, const Vec3& center) {
  if (item != nullptr) {
    double reach = 0.0;
    const Vec3& scale = std::get<MeshFile>(shape.geometry).scale;
    for (const Vec3& vertex : item->mesh.vertices)
      reach = std::max(reach, (shape.pose * Vec3(vertex.cwiseProduct(scale)) - center).norm());
    return reach;
  }
  const double away = (shape.pose.p - center).norm();
  if (const auto* box = std::get_if<Box>(&shape.geometry)) return away + 0.5 * box->size.norm();
  if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) return away + sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&shape.geometry))
    return away + 0.5 * capsule->length + capsule->radius;
  const auto& cylinder = std::get<Cylinder>(shape.geometry);
  return away + std::hypot(0.5 * cylinder.length, cylinder.radius);
}

}  // namespace

std::optional<MassProperties> UrdfMasses::calc_given(const UrdfLink& link) {
  if (!link.inertial) return std::nullopt;
  const UrdfInertial& given = *link.inertial;
  if (given.mass <= 0.0) {
    if (given.mass < 0.0 || !given.inertia.isZero()) {
      report_.suspicious.push_back(fmt::format("{}: link '{}' has a mass of {}; it is ignored",
                                               to_string(given.place), link.name, given.mass));
    }
    return std::nullopt;
  }
  MassProperties mass{given.mass, Vec3::Zero(), given.inertia};
  if (given.inertia.isZero()) {
    mass = transformed_to(of_shapes(link), given);
    report_.assumed.push_back(
        fmt::format("link '{}' has a mass but no inertia: that of its shapes is used", link.name));
    return mass;
  }
  const std::string defect = find_mass_defect(mass);
  if (!defect.empty()) {
    const auto fixed = repaired(mass);
    report_.suspicious.push_back(fmt::format(
        "{}: link '{}': {}; {}", to_string(given.place), link.name, defect,
        fixed ? "all moments are increased until they are possible" : "the inertia of its shapes is used"));
    if (!fixed) return transformed_to(of_shapes(link), given);
    mass = *fixed;
  }
  mass = transformed(mass, given.pose);
  check_reach(link, mass);
  return mass;
}

/// The mass of the shapes at the assumed density; of collision shapes if there are any.
std::optional<MassProperties> UrdfMasses::of_shapes(const UrdfLink& link) {
  std::optional<MassProperties> total;
  for (const UrdfShape& shape : link.collisions.empty() ? link.visuals : link.collisions) {
    const MeshCollector::Item* item = find_mesh(shape, link);
    std::string note;
    MassProperties mass = unit_mass_of(shape.geometry, item == nullptr ? nullptr : &item->mesh, note);
    if (!(mass.mass > 0.0)) continue;
    if (!note.empty()) {
      report_.assumed.push_back(fmt::format("link '{}': its mesh encloses no volume: {}", link.name, note));
    }
    mass.mass *= density_;
    mass.inertia *= density_;
    mass = transformed(mass, shape.pose);
    total = total ? combined(*total, mass) : mass;
  }
  return total;
}

MassProperties UrdfMasses::calc_assumed(const UrdfLink& link) {
  const auto mass = of_shapes(link);
  if (mass) {
    report_.assumed.push_back(
        fmt::format("link '{}' has no mass: {:.4g} kg computed from its shapes at {} kg/m^3", link.name,
                    mass->mass, density_));
  } else {
    report_.suspicious.push_back(
        fmt::format("{}: link '{}' moves, but has neither mass nor shape; {} kg is assumed",
                    to_string(link.place), link.name, kAssumedMass));
  }
  return mass.value_or(make_grain(kAssumedMass));
}

void UrdfMasses::check_reach(const UrdfLink& link, const MassProperties& mass) {
  double reach = 0.0;
  for (const auto* shapes : {&link.visuals, &link.collisions}) {
    for (const UrdfShape& shape : *shapes) {
      const MeshCollector::Item* item = find_mesh(shape, link);
      if (!shape.mesh.empty() && item == nullptr) return;
      reach = std::max(reach, calc_reach(shape, item, mass.center));
    }
  }
  const double gyration = std::sqrt(mass.inertia.trace() / 2.0 / mass.mass);
  if (reach == 0.0 || gyration < kFarOut * reach) return;
  report_.suspicious.push_back(fmt::format(
      "{}: link '{}': its inertia has a radius of gyration of {:.2g} m, but its shapes extend to {:.2g} m",
      to_string(link.inertial->place), link.name, gyration, reach));
}

const MeshCollector::Item* UrdfMasses::find_mesh(const UrdfShape& shape, const UrdfLink& owner) {
  return shape.mesh.empty() ? nullptr : meshes_.find(shape.mesh, shape.place, "link '" + owner.name + "'");
}

}  // namespace lockstep
