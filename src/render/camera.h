#pragma once

#include <Eigen/Geometry>
#include <numbers>
#include <vector>

#include "lockstep/world.h"

/// Where images are taken from.
namespace lockstep {

/// A camera that looks at a point from a distance, upright.
struct OrbitCamera {
  Vec3 target = Vec3::Zero();  ///< world, m
  double distance = 1.0;       ///< m
  /// Where it stands seen from the target: 0 is towards +x, a quarter turn towards +y, rad.
  double azimuth = -std::numbers::pi / 3.0;
  double elevation = std::numbers::pi / 9.0;  ///< above the horizon, rad
};

inline constexpr double kFieldOfView = std::numbers::pi / 5.0;  ///< from the bottom to the top of an image, rad

/// The camera's own axes in the world: x to the right, y up, z backwards.
Mat3 calc_camera_axes(const OrbitCamera& camera);

using Bounds = Eigen::AlignedBox3d;  ///< in the world, m

/// Boxes around the shapes of a model, which must outlive it, wherever its bodies are.
class ShapeBounds {
 public:
  explicit ShapeBounds(const Model& model);

  /// The box around what a viewer wants to see whole: all that can move, and what is around it. Planes have
  /// no end, and a shape that is many times larger than all that moves is background. Empty if there is
  /// nothing.
  Bounds calc(const World& world) const;

  /// The box around one body, and its origin.
  Bounds calc(const World& world, BodyId body) const;

 private:
  Bounds calc_in_world(const World& world, std::size_t shape) const;

  const Model& model_;
  std::vector<Bounds> own_;  // in the frame of each shape; empty for planes
};

/// Moves a camera so that a box fills the image; it keeps the direction. `aspect` is width over height.
OrbitCamera framed(OrbitCamera camera, const Bounds& bounds, double aspect);

}  // namespace lockstep
