#pragma once

#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/handlers.h"

namespace lockstep {

/// A model of MuJoCo's that is only there to be drawn: every shape is a geom of the world itself, also those
/// that do not collide, with its colour, its true mesh and nothing that physics needs.
struct ImageModel {
  MjModelPtr mujoco;
  std::vector<ShapeId> shapes;  ///< by geom
};

struct ImageScale {
  int width = 1280;
  int height = 720;
  double extent = 1.0;  ///< of the scene, m
};

/// Throws UserError if there are more meshes than MuJoCo can be given.
ImageModel make_image_model(const Model& model, const ImageScale& scale);

/// How far the ground and the view reach, in extents of the scene.
inline constexpr double kFarOfExtent = 80.0;

}  // namespace lockstep
