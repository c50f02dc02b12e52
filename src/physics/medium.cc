#include "physics/medium.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/overloaded.h"
#include "geometry/mass.h"
#include "model/kinematics.h"
#include "physics/initial_state.h"

namespace lockstep {
namespace {

/// 1/64 d_i (d_j^4 + d_k^4) for each axis.
Vec3 calc_turning(const Vec3& d) {
  const Vec3 d4 = d.array().pow(4).matrix();
  return Vec3(d.x() * (d4.y() + d4.z()), d.y() * (d4.x() + d4.z()), d.z() * (d4.x() + d4.y())) / 64.0;
}

/// For a shape of revolution about z, whose rotation about z displaces no fluid.
Vec3 calc_turning_of_round(double radius, double length) {
  Vec3 turning = calc_turning({2.0 * radius, 2.0 * radius, length});
  turning.z() = 0.0;
  return turning;
}

/// For every body: mass and smallest moment of inertia of its rigid assembly, divided by the number of shapes.
struct Share {
  double mass = 0.0;
  double inertia = 0.0;
};
std::vector<Share> calc_shares(const Model& model) {
  std::vector<std::size_t> root(model.bodies.size(), 0);
  std::vector<Share> total(model.bodies.size());
  std::vector<double> shapes(model.bodies.size(), 0.0);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    root[i] = is_welded(model, body) ? root[index(body.parent)] : i;
    total[root[i]].mass += body.mass.mass;
    if (body.mass.mass > 0.0)
      total[root[i]].inertia += body.mass.inertia.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
  }
  for (const ShapeModel& shape : model.shapes) shapes[root[index(shape.body)]] += 1.0;
  std::vector<Share> shares(model.bodies.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double count = std::max(1.0, shapes[root[i]]);
    shares[i] = {total[root[i]].mass / count, total[root[i]].inertia / count};
  }
  return shares;
}

}  // namespace

MediumForces::MediumForces(const Model& model) : model_(&model) {
  const Medium& medium = model_->medium;
  air_ = {medium.air_density, medium.air_viscosity, medium.wind};
  if (medium.water_level) water_ = {medium.water_density, medium.water_viscosity, medium.current};
  const auto acts = [](const Fluid& fluid) { return fluid.density > 0.0 || fluid.viscosity > 0.0; };
  if (!acts(air_) && !acts(water_)) return;

  const std::vector<bool> moves = find_moving_bodies(*model_);
  const std::vector<Share> shares = calc_shares(*model_);
  const double rate = 1.0 / to_seconds(model_->step);
  for (const ShapeModel& shape : model_->shapes) {
    if (!moves[index(shape.body)]) continue;
    Piece piece = make_piece(shape);
    piece.largest_damping = shares[index(shape.body)].mass * rate;
    piece.largest_turning_damping = shares[index(shape.body)].inertia * rate;
    if (piece.volume > 0.0) pieces_.push_back(piece);
  }
}

MediumForces::Piece MediumForces::make_piece(const ShapeModel& shape) const {
  Piece piece;
  piece.shape = &shape;
  MassProperties mass;
  std::visit(Overloaded{
                 [](const PlaneGeometry&) {},
                 [](const HeightmapGeometry&) {},
                 [&](const Box& box) {
                   mass = unit_mass(box);
                   piece.turning = calc_turning(box.size);
                   piece.reach = box.size.norm() / 2.0;
                 },
                 [&](const Sphere& sphere) {
                   mass = unit_mass(sphere);
                   piece.reach = sphere.radius;
                 },
                 [&](const Capsule& capsule) {
                   mass = unit_mass(capsule);
                   piece.turning = calc_turning_of_round(capsule.radius, capsule.length + 2.0 * capsule.radius);
                   piece.reach = capsule.length / 2.0 + capsule.radius;
                 },
                 [&](const Cylinder& cylinder) {
                   mass = unit_mass(cylinder);
                   piece.turning = calc_turning_of_round(cylinder.radius, cylinder.length);
                   piece.reach = std::hypot(cylinder.length / 2.0, cylinder.radius);
                 },
                 [&](const MeshGeometry& geometry) {
                   const Mesh& mesh = model_->meshes[index(geometry.mesh)];
                   if (!find_mesh_defect(mesh).empty()) return;  // its displaced volume cannot be computed
                   mass = unit_mass(mesh);
                   Vec3 low = mass.center, high = mass.center;
                   for (const Vec3& vertex : mesh.vertices) {
                     low = low.cwiseMin(vertex);
                     high = high.cwiseMax(vertex);
                     piece.reach = std::max(piece.reach, (vertex - mass.center).norm());
                   }
                   piece.turning = calc_turning(high - low);
                 },
             },
             shape.geometry);
  piece.volume = mass.mass;
  piece.center_S = mass.center;
  piece.radius = std::cbrt(0.75 / std::numbers::pi * std::max(0.0, piece.volume));
  return piece;
}

Immersion MediumForces::calc_part_below(const Piece& piece, const Pose& X_WS, double level) const {
  const Vec3 center = X_WS * piece.center_S;
  if (center.z() - piece.reach >= level) return {};
  if (center.z() + piece.reach <= level) return {piece.volume, center};
  return std::visit(Overloaded{
                        [](const PlaneGeometry&) { return Immersion{}; },
                        [](const HeightmapGeometry&) { return Immersion{}; },
                        [&](const MeshGeometry& geometry) {
                          return calc_immersion(model_->meshes[index(geometry.mesh)], X_WS, level);
                        },
                        [&](const auto& geometry) { return calc_immersion(geometry, X_WS, level); },
                    },
                    piece.shape->geometry);
}

double MediumForces::calc_frontal_area(const Piece& piece, const Vec3& direction_S) const {
  return std::visit(Overloaded{
                        [](const PlaneGeometry&) { return 0.0; },
                        [](const HeightmapGeometry&) { return 0.0; },
                        [&](const MeshGeometry& geometry) {
                          return calc_projected_area(model_->meshes[index(geometry.mesh)], direction_S);
                        },
                        [&](const auto& geometry) { return calc_projected_area(geometry, direction_S); },
                    },
                    piece.shape->geometry);
}

void MediumForces::advance(const Instant&, Duration, Row, World& world) {
  for (const Piece& piece : pieces_) {
    const Pose X_WS = world.body_pose(piece.shape->body) * piece.shape->X_BS;
    Immersion below;
    if (model_->medium.water_level) below = calc_part_below(piece, X_WS, *model_->medium.water_level);
    Immersion above{piece.volume - below.volume, X_WS * piece.center_S};
    // A volume at the level of rounding errors has no centroid.
    constexpr double kNothing = 1e-9;
    if (below.volume < kNothing * piece.volume) {
      above.volume = piece.volume;
    } else {
      act(water_, piece, X_WS, below, world);
      if (above.volume < kNothing * piece.volume) continue;
      above.center = (piece.volume * above.center - below.volume * below.center) / above.volume;
    }
    act(air_, piece, X_WS, above, world);
  }
}

void MediumForces::act(const Fluid& fluid, const Piece& piece, const Pose& X_WS, const Immersion& part,
                       World& world) const {
  if (fluid.density == 0.0 && fluid.viscosity == 0.0) return;
  const BodyId body = piece.shape->body;
  const double fraction = part.volume / piece.volume;
  Wrench wrench;
  wrench.force = -fluid.density * part.volume * model_->gravity;

  const Twist motion = world.body_velocity(body);
  const Vec3 v = motion.linear + motion.angular.cross(part.center - world.body_pose(body).p) - fluid.velocity;
  if (const double speed = v.norm(); speed > 0.0) {
    const double area = calc_frontal_area(piece, X_WS.q.conjugate() * (v / speed));
    const double damping = 0.5 * fluid.density * piece.shape->drag * area * speed +
                           6.0 * std::numbers::pi * fluid.viscosity * piece.radius;
    wrench.force -= fraction * std::min(damping, piece.largest_damping) * v;
  }
  const Vec3 w_S = X_WS.q.conjugate() * motion.angular;
  const double viscous = 8.0 * std::numbers::pi * fluid.viscosity * std::pow(piece.radius, 3);
  Vec3 torque_S;
  for (int i = 0; i < 3; ++i) {
    const double damping = fluid.density * piece.shape->drag * piece.turning[i] * std::abs(w_S[i]) + viscous;
    torque_S[i] = -fraction * std::min(damping, piece.largest_turning_damping) * w_S[i];
  }
  wrench.torque = X_WS.q * torque_S;
  world.add_body_force(body, part.center, wrench);
}

std::unique_ptr<Subsystem> make_medium(const Model& model) {
  const Medium& medium = model.medium;
  const bool is_there =
      medium.air_density > 0.0 || medium.air_viscosity > 0.0 || medium.water_level.has_value();
  return is_there ? std::make_unique<MediumForces>(model) : nullptr;
}

}  // namespace lockstep
