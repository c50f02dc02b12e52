#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numbers>

#include "formats/common/link_mass.h"
#include "formats/mjcf/importer_internal.h"
#include "geometry/mass.h"

namespace lockstep {
namespace {

void report_mesh_mass(const MjcfImport& import, const MjcfGeom& geom, const std::string& body,
                      const std::string& note) {
  if (!note.empty()) {
    import.source.differ(geom.place, fmt::format("body '{}': its mesh encloses no volume: {}", body, note));
  } else if (!import.source.compiler().has_exact_mesh_mass) {
    import.source.differ(geom.place,
                         fmt::format("body '{}': its mass is that of the exact mesh; MuJoCo 2.2 uses an "
                                     "approximation without exactmeshinertia",
                                     body));
  }
}

/// At density 1.
MassProperties calc_ellipsoid_mass(const Vec3& radii) {
  const double volume = 4.0 / 3.0 * std::numbers::pi * radii.prod();
  const Vec3 s = radii.cwiseAbs2();
  const Vec3 moments = volume / 5.0 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
  return {volume, Vec3::Zero(), moments.asDiagonal()};
}

std::optional<MassProperties> calc_geom_mass(const MjcfImport& import, const MjcfAssets& assets,
                                             const MjcfBody& body, const std::string& name) {
  const auto& [first_group, last_group] = import.source.compiler().inertia_groups;
  std::optional<MassProperties> total;
  for (const MjcfGeom& geom : body.geoms) {
    if (geom.group < first_group || geom.group > last_group || geom.type == "plane" || geom.type == "hfield")
      continue;
    std::string note;
    Geometry geometry = geom.geometry;
    MassProperties unit;
    if (geom.type == "ellipsoid") {
      unit = calc_ellipsoid_mass(geom.radii);
    } else {
      const MeshCollector::Item* item = nullptr;
      if (geom.type == "mesh") item = assets.find_mesh(geom, name, std::get<MeshFile>(geometry).scale);
      unit = unit_mass_of(geometry, item == nullptr ? nullptr : &item->mesh, note);
      if (item != nullptr) report_mesh_mass(import, geom, name, note);
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

/// <compiler boundinertia> and <compiler balanceinertia>, which apply to the principal moments.
void bound_moments(const MjcfCompiler& compiler, Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
  Vec3 moments = solver.eigenvalues().cwiseMax(compiler.least_inertia);  // ascending
  const bool is_impossible = moments[0] + moments[1] < moments[2];
  if (compiler.balances_inertia && is_impossible) {
    inertia = moments.mean() * Mat3::Identity();
  } else if (moments != solver.eigenvalues()) {
    inertia = solver.eigenvectors() * moments.asDiagonal() * solver.eigenvectors().transpose();
    inertia = 0.5 * (inertia + inertia.transpose()).eval();
  }
}

}  // namespace

std::optional<MassProperties> calc_mjcf_mass(const MjcfImport& import, const MjcfAssets& assets,
                                             const MjcfBody& body, const std::string& name) {
  using enum MjcfCompiler::InertiaFrom;
  const MjcfCompiler& compiler = import.source.compiler();
  std::optional<MassProperties> mass;
  const bool from_geoms = compiler.inertia_from == kGeoms || (compiler.inertia_from == kAuto && !body.inertial);
  mass = from_geoms ? calc_geom_mass(import, assets, body, name) : body.inertial;
  if (!mass || mass->mass <= 0.0) return std::nullopt;
  mass->mass = std::max(mass->mass, compiler.least_mass);
  if (compiler.least_inertia > 0.0 || compiler.balances_inertia) bound_moments(compiler, mass->inertia);
  const std::string defect = find_mass_defect(*mass);
  if (defect.empty()) return mass;
  const auto repaired_mass = repaired(*mass);
  if (!repaired_mass) {
    import.diagnostics.error(body.place, "body '{}': {}", name, defect);
    return std::nullopt;
  }
  import.report.suspicious.push_back(
      fmt::format("body '{}': {}; all moments are increased until they are possible", name, defect));
  return repaired_mass;
}

}  // namespace lockstep
