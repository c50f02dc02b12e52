#include "render/camera.h"

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"

namespace lockstep {
namespace {

/// Static shapes this many times larger than all moving ones are background.
constexpr double kBackground = 15.0;
/// Margin around the framed box, as a fraction of the image.
constexpr double kMargin = 0.08;
/// Smallest radius to frame, m, for scenes that are a single point.
constexpr double kMinRadius = 1e-3;
constexpr int kCorners = 8;

/// The box around a shape in its own frame; empty for a plane.
Bounds calc_shape_bounds(const Model& model, const ShapeGeometry& geometry) {
  const auto centred = [](const Vec3& half) { return Bounds(-half, half); };
  return std::visit(Overloaded{
                        [](const PlaneGeometry&) { return Bounds(); },
                        [&](const Box& box) { return centred(box.size / 2.0); },
                        [&](const Sphere& sphere) { return centred(Vec3::Constant(sphere.radius)); },
                        [&](const Capsule& c) {
                          return centred({c.radius, c.radius, c.length / 2.0 + c.radius});
                        },
                        [&](const Cylinder& c) {
                          return centred({c.radius, c.radius, c.length / 2.0});
                        },
                        [&](const MeshGeometry& mesh) {
                          Bounds bounds;
                          for (const Vec3& vertex : model.meshes[index(mesh.mesh)].vertices)
                            bounds.extend(vertex);
                          return bounds;
                        },
                        [&](const HeightmapGeometry& map) {
                          return Bounds(Vec3(-map.size.x() / 2.0, -map.size.y() / 2.0, 0.0),
                                        Vec3(map.size.x() / 2.0, map.size.y() / 2.0, map.size.z()));
                        },
                    },
                    geometry);
}

double radius_of(const Bounds& bounds) {
  return bounds.isEmpty() ? 0.0 : bounds.sizes().norm() / 2.0;
}

}  // namespace

Mat3 calc_camera_axes(const OrbitCamera& camera) {
  const double ca = std::cos(camera.azimuth), sa = std::sin(camera.azimuth);
  const double ce = std::cos(camera.elevation), se = std::sin(camera.elevation);
  Mat3 axes;
  axes.col(0) = Vec3(-sa, ca, 0.0);
  axes.col(1) = Vec3(-ca * se, -sa * se, ce);
  axes.col(2) = Vec3(ca * ce, sa * ce, se);
  return axes;
}

ShapeBounds::ShapeBounds(const Model& model) : model_(model) {
  for (const ShapeModel& shape : model.shapes) own_.push_back(calc_shape_bounds(model, shape.geometry));
}

Bounds ShapeBounds::calc_in_world(const World& world, std::size_t shape) const {
  const Bounds& own = own_[shape];
  if (own.isEmpty()) return own;
  const ShapeModel& model = model_.shapes[shape];
  const Pose X_WS = world.body_pose(model.body) * model.X_BS;
  Bounds bounds;
  for (int i = 0; i < kCorners; ++i) bounds.extend(X_WS * own.corner(static_cast<Bounds::CornerType>(i)));
  return bounds;
}

Bounds ShapeBounds::calc(const World& world) const {
  Bounds moving;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (model_.can_move(model_.shapes[i].body)) moving.extend(calc_in_world(world, i));
  }
  Bounds all = moving;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (model_.can_move(model_.shapes[i].body)) continue;
    const Bounds still = calc_in_world(world, i);
    if (moving.isEmpty() || radius_of(still) <= kBackground * radius_of(moving)) all.extend(still);
  }
  return all;
}

Bounds ShapeBounds::calc(const World& world, BodyId body) const {
  Bounds bounds(world.body_pose(body).p);
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (model_.shapes[i].body == body) bounds.extend(calc_in_world(world, i));
  }
  return bounds;
}

OrbitCamera framed(OrbitCamera camera, const Bounds& bounds, double aspect) {
  if (bounds.isEmpty()) return camera;
  camera.target = bounds.center();
  const Mat3 axes = calc_camera_axes(camera);
  const double up = std::tan(kFieldOfView / 2.0) * (1.0 - 2.0 * kMargin);
  const double right = up * aspect;
  camera.distance = 2.0 * kMinRadius / up;
  for (int i = 0; i < kCorners; ++i) {
    // A corner at (x, y, z) in camera axes projects to x / (distance - z) to the right.
    const Vec3 corner = bounds.corner(static_cast<Bounds::CornerType>(i));
    const Vec3 p = axes.transpose() * (corner - camera.target);
    camera.distance =
        std::max({camera.distance, std::abs(p.x()) / right + p.z(), std::abs(p.y()) / up + p.z()});
  }
  return camera;
}

}  // namespace lockstep
