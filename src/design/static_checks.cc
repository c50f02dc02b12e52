#include "design/static_checks.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/overloaded.h"
#include "design/parts.h"
#include "geometry/mass.h"
#include "model/kinematics.h"

namespace lockstep {
namespace {

using Bounds = Eigen::AlignedBox3d;

/// Density of osmium, kg/m^3: a body cannot be heavier than its bounding box filled with it.
constexpr double kDensest = 22'600.0;
/// Density of air, kg/m^3: a lighter body is suspicious.
constexpr double kLightest = 0.1;
/// Density of the lightest foams that parts are made of, kg/m^3: less than that in closed meshes is suspicious.
constexpr double kLightestSolid = 10.0;
/// Maximum mass ratio of neighbouring links; solvers converge badly above it.
constexpr double kMassRatio = 1e4;
constexpr double kSizeRatio = 1e4;
/// Plausible sizes of a machine, m.
constexpr double kMin = 1e-4, kMax = 1e3;
/// An axis closer to x, y or z than the first angle, rad, is suspicious unless it is closer than the second.
constexpr double kNearlyAlong = 0.02, kAlong = 1e-5;

Bounds calc_shape_bounds(const Model& model, const ShapeModel& shape) {
  const auto around = [](double x, double y, double z) { return Bounds(Vec3(-x, -y, -z), Vec3(x, y, z)); };
  const Bounds own =
      std::visit(Overloaded{
                     [&](const Box& b) { return around(b.size.x() / 2, b.size.y() / 2, b.size.z() / 2); },
                     [&](const Sphere& s) { return around(s.radius, s.radius, s.radius); },
                     [&](const Capsule& c) { return around(c.radius, c.radius, c.length / 2 + c.radius); },
                     [&](const Cylinder& c) { return around(c.radius, c.radius, c.length / 2); },
                     [&](const MeshGeometry& m) {
                       Bounds bounds;
                       for (const Vec3& vertex : model.meshes[index(m.mesh)].vertices) bounds.extend(vertex);
                       return bounds;
                     },
                     [](const auto&) { return Bounds(); },  // planes and heightmaps are static
                 },
                 shape.geometry);
  Bounds placed;
  if (own.isEmpty()) return placed;
  for (int corner = 0; corner < 8; ++corner)
    placed.extend(shape.X_BS * own.corner(static_cast<Bounds::CornerType>(corner)));
  return placed;
}

/// Of a mesh that is drawn, m^3; 0 if it encloses none. Primitives often stand for something hollow.
double calc_mesh_volume(const Model& model, const ShapeModel& shape) {
  const auto* geometry = std::get_if<MeshGeometry>(&shape.geometry);
  if (geometry == nullptr || !shape.visible) return 0.0;
  const Mesh& mesh = model.meshes[index(geometry->mesh)];
  return find_mesh_defect(mesh).empty() ? unit_mass(mesh).mass : 0.0;
}

/// Checks each body, using the bounding boxes of its shapes.
class ModelChecker {
 public:
  ModelChecker(const Model& model, Diagnostics& diagnostics)
      : model_(model), diagnostics_(diagnostics), bounds_(model.bodies.size()), volumes_(model.bodies.size()) {
    for (const ShapeModel& shape : model.shapes) {
      bounds_[index(shape.body)].extend(calc_shape_bounds(model, shape));
      volumes_[index(shape.body)] += calc_mesh_volume(model, shape);
    }
  }

  void run() {
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      if (!model_.can_move(BodyId{static_cast<int>(i)})) continue;
      check_mass(i);
      check_neighbour(i);
      if (model_.bodies[i].joint) check_joint(i, model_.joint(*model_.bodies[i].joint));
    }
    check_sizes();
  }

 private:
  void check_mass(std::size_t i) {
    const BodyModel& body = model_.bodies[i];
    const Bounds& box = bounds_[i];
    if (body.mass.mass <= 0.0 || box.isEmpty()) return;
    const double size = box.sizes().norm();
    const double away = box.exteriorDistance(body.mass.center);
    if (away > 0.1 * size) {
      diagnostics_.warn(body.place,
                        "'{}': its centre of mass is {:.3g} m outside of its shapes, which are {:.3g} m large",
                        body.name, away, size);
    }
    // No point of the box is farther from the centre of mass, so the radius of gyration cannot be larger.
    const Vec3 farthest =
        (box.max() - body.mass.center).cwiseAbs().cwiseMax((box.min() - body.mass.center).cwiseAbs());
    const Vec3 moments =
        Eigen::SelfAdjointEigenSolver<Mat3>(body.mass.inertia, Eigen::EigenvaluesOnly).eigenvalues();
    const double gyration = std::sqrt(moments.z() / body.mass.mass);
    constexpr double kRounding = 1.01;
    if (gyration > kRounding * farthest.norm()) {
      diagnostics_.warn(
          body.place,
          "'{}': its inertia is too large for its shapes: a radius of gyration of {:.3g} m, but nothing is "
          "farther than {:.3g} m from its centre of mass",
          body.name, gyration, farthest.norm());
    } else if (gyration < 0.01 * size) {
      diagnostics_.warn(
          body.place, "'{}': its inertia is too small: a radius of gyration of {:.3g} m, at a size of {:.3g} m",
          body.name, gyration, size);
    }
    const double density = body.mass.mass / std::max(box.volume(), 1e-18);
    if (density > kDensest) {
      diagnostics_.warn(
          body.place, "'{}': weighs {:.4g} kg, more than its bounding box filled with osmium; are units right?",
          body.name, body.mass.mass);
    } else if (density < kLightest) {
      diagnostics_.warn(body.place,
                        "'{}': weighs {:.4g} kg, less than the air in its bounding box; are units right?",
                        body.name, body.mass.mass);
    } else if (body.mass.mass < kLightestSolid * std::min(volumes_[i], box.volume())) {
      diagnostics_.warn(
          body.place,
          "'{}': weighs {:.4g} kg, {:.3g} kg/m^3 of its meshes, less than any solid material; are units right?",
          body.name, body.mass.mass, body.mass.mass / std::min(volumes_[i], box.volume()));
    }
  }

  void check_neighbour(std::size_t i) {
    const BodyModel& body = model_.bodies[i];
    const BodyModel& parent = model_.body(body.parent);
    if (is_welded(model_, body) || !model_.can_move(body.parent)) return;
    if (body.mass.mass <= 0.0 || parent.mass.mass <= 0.0) return;
    const double ratio = body.mass.mass / parent.mass.mass;
    if (std::max(ratio, 1.0 / ratio) < kMassRatio) return;
    diagnostics_.warn(body.place, "'{}' weighs {:.3g} kg and its parent '{}' {:.3g} kg: out of proportion",
                      body.name, body.mass.mass, parent.name, parent.mass.mass);
  }

  void check_joint(std::size_t i, const JointModel& joint) {
    const bool has_axis = joint.type == JointType::kHinge || joint.type == JointType::kSlide;
    if (has_axis) {
      Eigen::Index along = 0;
      joint.axis.cwiseAbs().maxCoeff(&along);
      const double angle = std::acos(std::clamp(std::abs(joint.axis[along]), 0.0, 1.0));
      if (angle > kAlong && angle < kNearlyAlong) {
        diagnostics_.warn(joint.place,
                          "joint '{}': its axis is {:.2g} deg off {} of its link; was that axis intended?",
                          joint.name, angle * 180.0 / std::numbers::pi, "xyz"[along]);
      }
    }
    if (joint.type != JointType::kHinge && joint.type != JointType::kBall) return;
    const BodyModel& body = model_.bodies[i];
    const Bounds& own = bounds_[i];
    const Bounds& other = bounds_[index(body.parent)];
    if (own.isEmpty() || other.isEmpty()) return;
    const double size = own.sizes().norm() + other.sizes().norm();
    const double away =
        std::min(own.exteriorDistance(joint.position), other.exteriorDistance(body.X_PB * joint.position));
    if (away > size) {
      diagnostics_.warn(
          joint.place,
          "joint '{}': is {:.3g} m away from the shapes of both its links, which together are {:.3g} m large",
          joint.name, away, size);
    }
  }

  void check_sizes() {
    std::optional<std::size_t> smallest, largest;
    const auto size_of = [&](std::size_t i) { return bounds_[i].sizes().norm(); };
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      if (!model_.can_move(BodyId{static_cast<int>(i)}) || bounds_[i].isEmpty()) continue;
      if (!smallest || size_of(i) < size_of(*smallest)) smallest = i;
      if (!largest || size_of(i) > size_of(*largest)) largest = i;
    }
    if (!smallest) return;
    const BodyModel& small = model_.bodies[*smallest];
    const BodyModel& large = model_.bodies[*largest];
    if (size_of(*largest) > kSizeRatio * size_of(*smallest)) {
      diagnostics_.warn(small.place, "'{}' is {:.3g} m large and '{}' {:.3g} m: out of proportion", small.name,
                        size_of(*smallest), large.name, size_of(*largest));
    }
    if (size_of(*largest) > kMax)
      diagnostics_.warn(large.place, "'{}' is {:.3g} m large; were millimetres read as metres?", large.name,
                        size_of(*largest));
    if (size_of(*largest) < kMin)
      diagnostics_.warn(large.place, "'{}' is the largest and measures {:.3g} m; are units right?", large.name,
                        size_of(*largest));
  }

  const Model& model_;
  Diagnostics& diagnostics_;
  std::vector<Bounds> bounds_;
  std::vector<double> volumes_;  // of the meshes that are drawn, m^3  // by body, in its frame
};

}  // namespace

void check_model(const Model& model, Diagnostics& diagnostics) {
  ModelChecker(model, diagnostics).run();
}

void check_parts(const Design& design, Diagnostics& diagnostics) {
  const std::vector<int> unused = find_unused_parts(design);
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(unused.size(), kShown); ++i) {
    diagnostics.warn({}, "part '{}' belongs to no link; add it to one or exclude it with <ignore>",
                     design.assembly->parts[static_cast<std::size_t>(unused[i])].name);
  }
  if (unused.size() > kShown) diagnostics.warn({}, "and {} more parts", unused.size() - kShown);
}

}  // namespace lockstep
