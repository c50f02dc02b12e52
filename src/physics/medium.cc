#include "physics/medium.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/overloaded.h"
#include "geometry/mass.h"
#include "model/kinematics.h"
#include "physics/initial_state.h"

namespace lockstep {
namespace {

/// Mass properties of the rigid assembly of each body, in the frame of the body, divided by the number of its
/// shapes.
std::vector<MassProperties> calc_shares(const Model& model) {
  const std::size_t count = model.bodies.size();
  std::vector<std::size_t> root(count, 0);
  std::vector<Pose> X_RB(count);
  std::vector<MassProperties> total(count);
  std::vector<double> shapes(count, 0.0);
  for (std::size_t i = 1; i < count; ++i) {
    const BodyModel& body = model.bodies[i];
    root[i] = i;
    if (is_welded(model, body)) {
      root[i] = root[index(body.parent)];
      X_RB[i] = X_RB[index(body.parent)] * body.X_PB;
    }
    total[root[i]] = combined(total[root[i]], transformed(body.mass, X_RB[i]));
  }
  for (const ShapeModel& shape : model.shapes) shapes[root[index(shape.body)]] += 1.0;
  std::vector<MassProperties> shares(count);
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = transformed(total[root[i]], X_RB[i].inverse());
    shares[i].mass /= std::max(1.0, shapes[root[i]]);
    shares[i].inertia /= std::max(1.0, shapes[root[i]]);
  }
  return shares;
}

/// For every body: whether a joint is between it and the world, through which forces on it can be measured.
std::vector<bool> find_jointed_bodies(const Model& model) {
  std::vector<bool> jointed(model.bodies.size(), false);
  for (std::size_t i = 1; i < jointed.size(); ++i)
    jointed[i] = model.bodies[i].joint.has_value() || jointed[index(model.bodies[i].parent)];
  return jointed;
}

}  // namespace

MediumForces::MediumForces(const Model& model) : model_(&model) {
  const Medium& medium = model_->medium;
  air_ = {medium.air_density, medium.air_viscosity, medium.wind};
  if (medium.water_level) water_ = {medium.water_density, medium.water_viscosity, medium.current};
  const auto acts = [](const Fluid& fluid) { return fluid.density > 0.0 || fluid.viscosity > 0.0; };
  if (!acts(air_) && !acts(water_)) return;

  const std::vector<bool> jointed = find_jointed_bodies(*model_);
  const std::vector<bool> moves = find_moving_bodies(*model_);
  const std::vector<MassProperties> shares = calc_shares(*model_);
  for (const ShapeModel& shape : model_->shapes) {
    if (!jointed[index(shape.body)]) continue;
    Piece piece = make_piece(shape);
    piece.moves = moves[index(shape.body)];
    piece.share = shares[index(shape.body)];
    if (piece.moves) piece.inverse_inertia = piece.share.inertia.inverse();
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
                   piece.size = box.size;
                   piece.reach = box.size.norm() / 2.0;
                 },
                 [&](const Sphere& sphere) {
                   mass = unit_mass(sphere);
                   piece.reach = sphere.radius;
                 },
                 [&](const Capsule& capsule) {
                   mass = unit_mass(capsule);
                   const double width = 2.0 * capsule.radius;
                   piece.size = {width, width, capsule.length + width};
                   piece.round = true;
                   piece.reach = capsule.length / 2.0 + capsule.radius;
                 },
                 [&](const Cylinder& cylinder) {
                   mass = unit_mass(cylinder);
                   piece.size = {2.0 * cylinder.radius, 2.0 * cylinder.radius, cylinder.length};
                   piece.round = true;
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
                   piece.size = high - low;
                   for (int i = 0; i < 3; ++i) piece.areas[i] = calc_projected_area(mesh, Vec3::Unit(i));
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

Vec3 MediumForces::calc_flow(const Piece& piece, const Vec3& v_S) const {
  const double speed = v_S.norm();
  if (speed == 0.0) return Vec3::Zero();
  // The faces of a mesh are too many to be summed up for every strip.
  const bool is_mesh = std::holds_alternative<MeshGeometry>(piece.shape->geometry);
  const Vec3 direction = v_S / speed;
  const double area =
      is_mesh ? piece.areas.cwiseProduct(direction).norm() : calc_frontal_area(piece, direction);
  return area * speed * v_S;
}

Wrench MediumForces::calc_flow_of_rotation(const Piece& piece, const Vec3& offset_S, const Vec3& v_S,
                                           const Vec3& w_S) const {
  Wrench sum;
  const Vec3 at_center = calc_flow(piece, v_S);
  for (int i = 0; i < 3; ++i) {
    const double half = 0.5 * piece.size[i] - std::abs(offset_S[i]);
    const Vec3 axis = Vec3::Unit(i);
    // The rotation of a round shape about its axis of symmetry displaces no fluid.
    const Vec3 w = piece.round && i != 2 ? Vec3(w_S.x(), w_S.y(), 0.0) : w_S;
    const Vec3 gradient = w.cross(axis);
    if (half <= 0.0 || gradient.isZero(0.0)) continue;
    // The integrand has a kink where the flow reverses. Two Gauss points on each side are exact for the torque
    // about any point, a polynomial of third order, if the flow has the same direction all along.
    const double kink = std::clamp(-v_S.dot(gradient) / gradient.squaredNorm(), -half, half);
    sum.force -= at_center;
    for (const auto& [from, to] : {std::pair(-half, kink), std::pair(kink, half)}) {
      const double weight = (to - from) / (4.0 * half);
      if (weight == 0.0) continue;
      for (const double node : {-1.0, 1.0}) {
        const double s = 0.5 * (from + to + node * std::numbers::inv_sqrt3 * (to - from));
        const Vec3 flow = weight * calc_flow(piece, v_S + s * gradient);
        sum.force += flow;
        sum.torque += s * axis.cross(flow);
      }
    }
  }
  return sum;
}

void MediumForces::act(const Fluid& fluid, const Piece& piece, const Pose& X_WS, const Immersion& part,
                       World& world) const {
  if (fluid.density == 0.0 && fluid.viscosity == 0.0) return;
  const BodyId body = piece.shape->body;
  const double fraction = part.volume / piece.volume;
  const Pose X_WB = world.body_pose(body);
  const Twist motion = world.body_velocity(body);
  const Vec3 v = motion.linear + motion.angular.cross(part.center - X_WB.p) - fluid.velocity;
  const Quat q_SW = X_WS.q.conjugate();
  const double pressure = 0.5 * fluid.density * piece.shape->drag;

  Wrench drag;
  if (const double speed = v.norm(); speed > 0.0) {
    const double area = calc_frontal_area(piece, q_SW * (v / speed));
    const double damping = pressure * area * speed + 6.0 * std::numbers::pi * fluid.viscosity * piece.radius;
    drag.force = -fraction * damping * v;
  }
  if (const Vec3& w = motion.angular; !w.isZero(0.0)) {
    const Vec3 offset_S = q_SW * (part.center - X_WS * piece.center_S);
    const Wrench flow = calc_flow_of_rotation(piece, offset_S, q_SW * v, q_SW * w);
    const double damping = 8.0 * std::numbers::pi * fluid.viscosity * std::pow(piece.radius, 3);
    drag.force -= fraction * pressure * (X_WS.q * flow.force);
    drag.torque = -fraction * (pressure * (X_WS.q * flow.torque) + damping * w);
  }

  if (piece.moves) {
    // A free body of inertia M that the drag F slows down from V loses the energy -dt F V - dt^2/2 F M^-1 F.
    const double power = -drag.force.dot(v) - drag.torque.dot(motion.angular);
    const Vec3 torque = drag.torque + (part.center - X_WB * piece.share.center).cross(drag.force);
    const Vec3 torque_B = X_WB.q.conjugate() * torque;
    const double response =
        drag.force.squaredNorm() / piece.share.mass + torque_B.dot(piece.inverse_inertia * torque_B);
    const double most = fraction * power / to_seconds(model_->step);
    if (!(response <= most)) {
      const double limit = response > 0.0 ? std::max(0.0, most / response) : 0.0;
      drag.force *= limit;
      drag.torque *= limit;
    }
  }
  drag.force -= fluid.density * part.volume * model_->gravity;
  world.add_body_force(body, part.center, drag);
}

std::unique_ptr<Subsystem> make_medium(const Model& model) {
  const Medium& medium = model.medium;
  const bool is_there =
      medium.air_density > 0.0 || medium.air_viscosity > 0.0 || medium.water_level.has_value();
  return is_there ? std::make_unique<MediumForces>(model) : nullptr;
}

}  // namespace lockstep
