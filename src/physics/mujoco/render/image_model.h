#pragma once

#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/handlers.h"

namespace lockstep {

/// A MuJoCo model for rendering only: every shape, also those that do not collide, is a geom of the world body,
/// with its colour and true mesh, and without physics.
struct ImageModel {
  MjModelPtr mujoco;
  std::vector<ShapeId> shapes;  ///< by geom
};

struct ImageScale {
  int width = 1280;     ///< pixels
  int height = 720;     ///< pixels
  double extent = 1.0;  ///< of the scene, m
  /// Shadows and smooth edges. Without them, each pixel shows what is at its centre, in the color of the shape.
  bool has_effects = true;
};

/// Throws UserError if there are more meshes than MuJoCo supports.
ImageModel make_image_model(const Model& model, const ImageScale& scale);

/// Size of the ground and far plane of the view, in extents of the scene.
inline constexpr double kFarOfExtent = 80.0;

}  // namespace lockstep
