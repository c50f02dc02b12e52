#pragma once

#include <optional>
#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/model_options.h"

/// How bodies are arranged in MuJoCo's trees.
///
/// MuJoCo's cost grows with the square of the degrees of freedom between a body that touches something and the
/// root of its tree. The root of a floating tree is free to choose, so a long chain with the free joint on its
/// head gets its root in the middle: each joint between the two connects the same bodies as before, but
/// MuJoCo's child is the parent of the model. Positions, velocities and forces of these joints stay the same.
/// The free joint is derived (moved_bases.h).
namespace lockstep {

/// A body in MuJoCo's tree.
struct TreeNode {
  BodyId parent = kWorldBody;
  Pose X_PB;                     ///< in that parent, with all joints at zero
  std::optional<JointId> joint;  ///< to that parent
  bool floats = false;           ///< is free, although the model has another joint or none here
  bool is_reversed = false;      ///< `joint` belongs to the parent's body in the model
};

/// A floating tree with another root than in the model.
struct MovedRoot {
  JointId base{};            ///< the free joint of the model
  BodyId root = kWorldBody;  ///< the body that is free in MuJoCo
};

struct TreeLayout {
  std::vector<TreeNode> nodes;  ///< by BodyId
  std::vector<MovedRoot> moved_roots;
};

TreeLayout make_tree_layout(const Model& model, const MujocoModelOptions& options);

std::size_t count_degrees_of_freedom(const Model& model);

}  // namespace lockstep
