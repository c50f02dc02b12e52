#include "formats/common/link_mass.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "base/overloaded.h"
#include "geometry/mass.h"
#include "geometry/repair.h"

namespace lockstep {

namespace {

MassProperties unit_mass_of_mesh(const Mesh& mesh, const Vec3& scale, std::string& note) {
  Mesh scaled = mesh;
  for (Vec3& vertex : scaled.vertices) vertex = vertex.cwiseProduct(scale);
  if (scale.prod() < 0.0) {
    for (auto& face : scaled.faces) std::swap(face[1], face[2]);
  }
  const std::string defect = find_mesh_defect(scaled);
  if (defect.empty()) return unit_mass(scaled);
  if (const auto closed = close_mesh(scaled)) {
    note = fmt::format("{}; its mass is that with {} holes closed", defect, closed->holes);
    return unit_mass(closed->mesh);
  }
  note = defect + "; its bounding box is used";
  Vec3 low = scaled.vertices[0], high = low;
  for (const Vec3& vertex : scaled.vertices) low = low.cwiseMin(vertex), high = high.cwiseMax(vertex);
  constexpr double kThinnest = 1e-4;  // m, gives a flat mesh a volume
  return transformed(unit_mass(Box{(high - low).cwiseMax(kThinnest)}), {0.5 * (low + high), Quat::Identity()});
}

}  // namespace

MassProperties unit_mass_of(const Geometry& geometry, const Mesh* mesh, std::string& note) {
  return std::visit(Overloaded{
                        [&](const MeshFile& file) {
                          return mesh == nullptr ? MassProperties{}
                                                 : unit_mass_of_mesh(*mesh, file.scale, note);
                        },
                        [](const auto& primitive) { return unit_mass(primitive); },
                    },
                    geometry);
}

std::optional<MassProperties> repaired(const MassProperties& body) {
  if (find_mass_defect(body).empty()) return std::nullopt;
  const Mat3 symmetric = 0.5 * (body.inertia + body.inertia.transpose());
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(symmetric);
  const Vec3 moments = solver.eigenvalues();  // ascending
  // Slightly more than needed, so that rounding does not undo it.
  constexpr double kMargin = 1e-6;
  const double largest = std::max(moments[2], 1e-12);
  double more = std::max(moments[2] - moments[0] - moments[1], -moments[0]) + kMargin * largest;
  MassProperties result = body;
  result.inertia = symmetric + more * Mat3::Identity();
  if (!find_mass_defect(result).empty()) return std::nullopt;
  return result;
}

Inertial to_inertial(const MassProperties& body) {
  Inertial inertial;
  inertial.mass = body.mass;
  inertial.center = body.center;
  inertial.diagonal = body.inertia.diagonal();
  inertial.products = {body.inertia(0, 1), body.inertia(0, 2), body.inertia(1, 2)};
  return inertial;
}

MassProperties make_grain(double mass) {
  constexpr double kRadius = 0.01;  // m
  return {mass, Vec3::Zero(), 0.4 * mass * kRadius * kRadius * Mat3::Identity()};
}

}  // namespace lockstep
