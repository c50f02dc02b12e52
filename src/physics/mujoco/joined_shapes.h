#pragma once

#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/model_options.h"

/// Boxes of one material that are fixed to each other and form a larger box become one shape of MuJoCo: fewer
/// contacts carry the same load. So the two frames that a lock of a chain connects touch the ground with four
/// corners instead of eight.
namespace lockstep {

/// A box of the model in the frame of its shape in MuJoCo.
struct ShapePart {
  ShapeId shape{};
  Vec3 center = Vec3::Zero();
  Vec3 half_size = Vec3::Zero();  ///< along the axes of that frame
};

/// A shape of MuJoCo.
struct CollisionShape {
  ShapeId shape{};  ///< in the model; has its body and material
  Pose X_BS;        ///< in that body
  ShapeGeometry geometry;
  std::vector<ShapePart> parts;  ///< empty if it is this one shape of the model
};

/// All shapes that can touch something, in the order of the model. None are joined if results should be those
/// of plain MuJoCo.
std::vector<CollisionShape> join_shapes(const Model& model, const MujocoOptions& options);

/// The part that is nearest to a point in the frame of the shape.
ShapeId find_nearest_part(const std::vector<ShapePart>& parts, const Vec3& point);

}  // namespace lockstep
