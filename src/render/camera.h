#pragma once

#include <Eigen/Geometry>
#include <numbers>
#include <vector>

#include "lockstep/world.h"

/// The camera of rendered images.
namespace lockstep {

/// An upright camera that looks at a target point from a distance.
struct OrbitCamera {
  Vec3 target = Vec3::Zero();  ///< world, m
  double distance = 1.0;       ///< m
  /// Direction from the target to the camera, about +z: 0 is +x, a quarter turn is +y, rad.
  double azimuth = -std::numbers::pi / 3.0;
  double elevation = std::numbers::pi / 9.0;  ///< above the horizon, rad
};

inline constexpr double kFieldOfView = std::numbers::pi / 5.0;  ///< vertical, rad

/// The orientation R_WC of the camera: x to the right, y up, z backwards.
Mat3 calc_camera_axes(const OrbitCamera& camera);

using Bounds = Eigen::AlignedBox3d;  ///< in the world, m

/// Bounding boxes of the shapes of a model, which must outlive it, at any pose of its bodies.
class ShapeBounds {
 public:
  explicit ShapeBounds(const Model& model);

  /// The box to frame: all moving shapes, and the static ones around them. Ignores planes, which are infinite,
  /// and background: static shapes many times larger than all moving ones. Empty if there is nothing.
  Bounds calc(const World& world) const;

  /// The box around one body, including its origin.
  Bounds calc(const World& world, BodyId body) const;

 private:
  Bounds calc_in_world(const World& world, std::size_t shape) const;

  const Model& model_;
  std::vector<Bounds> own_;  // in the frame of each shape; empty for planes
};

/// Moves a camera so that a box fills the image; keeps its direction. `aspect` is width over height.
OrbitCamera framed(OrbitCamera camera, const Bounds& bounds, double aspect);

}  // namespace lockstep
