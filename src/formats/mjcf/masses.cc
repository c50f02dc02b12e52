#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "formats/common/link_mass.h"
#include "formats/mjcf/importer_internal.h"
#include "geometry/mass.h"

namespace lockstep {
namespace {

/// The mass that MuJoCo 2.2 gives a mesh without exactmeshinertia, at density 1. Each face is the base of a pyramid
/// whose apex is inside the mesh, and all of them count as positive, also where the mesh is not convex. The mass is
/// that of a box with the same inertia per volume. Empty if the mesh has no volume.
std::optional<MassProperties> calc_rough_mass(const Mesh& mesh, const Vec3& scale) {
  struct Face {
    std::array<Vec3, 3> corners;
    Vec3 middle, weighted_normal;  // the length of the normal is the area
  };
  std::vector<Face> faces;
  Vec3 apex = Vec3::Zero();
  double area = 0.0;
  for (const auto& triangle : mesh.faces) {
    Face face;
    for (std::size_t i = 0; i < 3; ++i) face.corners[i] = mesh.vertices[triangle[i]].cwiseProduct(scale);
    const auto& [a, b, c] = face.corners;
    face.middle = (a + b + c) / 3.0;
    face.weighted_normal = 0.5 * (b - a).cross(c - a);
    apex += face.weighted_normal.norm() * face.middle;
    area += face.weighted_normal.norm();
    faces.push_back(face);
  }
  if (!(area > 0.0)) return std::nullopt;
  apex /= area;
  MassProperties body;
  double volume = 0.0;
  for (const Face& face : faces) {
    const double pyramid = std::abs(face.weighted_normal.dot(face.middle - apex)) / 3.0;
    volume += pyramid;
    body.center += pyramid * (0.75 * face.middle + 0.25 * apex);
  }
  if (!(volume > 0.0)) return std::nullopt;
  body.center /= volume;
  volume = 0.0;
  Mat3 products = Mat3::Zero();
  for (const Face& face : faces) {
    const Vec3 middle = face.middle - body.center;
    const double pyramid = std::abs(face.weighted_normal.dot(middle)) / 3.0;
    volume += pyramid;
    Mat3 sum = 9.0 * middle * middle.transpose();
    for (const Vec3& corner : face.corners) sum += (corner - body.center) * (corner - body.center).transpose();
    products += pyramid / 20.0 * sum;
  }
  body.inertia = products.trace() * Mat3::Identity() - products;
  const Vec3 spreads = Eigen::SelfAdjointEigenSolver<Mat3>(products).eigenvalues();
  if (!(volume > 0.0) || !(spreads.minCoeff() > 0.0)) return std::nullopt;
  body.mass = (12.0 / volume * spreads).cwiseSqrt().prod();
  body.inertia *= body.mass / volume;
  return body;
}

MassProperties calc_mesh_mass(const MjcfImport& import, const MjcfGeom& geom, const MeshFile& file,
                              const Mesh* mesh, const std::string& body) {
  if (mesh != nullptr && !import.source.compiler().has_exact_mesh_mass) {
    if (const auto rough = calc_rough_mass(*mesh, file.scale)) return *rough;
  }
  std::string note;
  const MassProperties unit = unit_mass_of(file, mesh, note);
  if (mesh != nullptr && !note.empty())
    import.source.differ(geom.place, fmt::format("body '{}': its mesh encloses no volume: {}", body, note));
  return unit;
}

/// Where MuJoCo puts the centre of a body without mass.
Vec3 center_without_mass(const MjcfBody& body) {
  if (body.inertial) return body.inertial->center;
  return body.geoms.size() == 1 ? body.geoms.front().pose.p : body.pose.p;
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
    MassProperties unit;
    if (geom.type == "ellipsoid") {
      unit = calc_ellipsoid_mass(geom.radii);
    } else if (geom.type == "mesh") {
      MeshFile file = std::get<MeshFile>(geom.geometry);
      const MeshCollector::Item* item = assets.find_mesh(geom, name, file.scale);
      unit = calc_mesh_mass(import, geom, file, item == nullptr ? nullptr : &item->mesh, name);
    } else {
      std::string note;
      unit = unit_mass_of(geom.geometry, nullptr, note);
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
  if (!mass || mass->mass <= 0.0) {
    if (!(compiler.least_mass > 0.0)) {
      const bool collides = std::any_of(body.geoms.begin(), body.geoms.end(), [](const MjcfGeom& geom) {
        return geom.contact.type != 0 || geom.contact.affinity != 0;
      });
      if (collides && body.parent > 0)
        import.source.differ(body.place, fmt::format("body '{}' has no mass: softness of its contacts", name));
      return std::nullopt;
    }
    mass = {0.0, center_without_mass(body), Mat3::Zero()};
  }
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
