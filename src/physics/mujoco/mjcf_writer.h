#pragma once

#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/capacity.h"
#include "physics/mujoco/closures.h"
#include "physics/mujoco/contact_rules.h"
#include "physics/mujoco/joined_shapes.h"
#include "physics/mujoco/load.h"
#include "physics/mujoco/model_options.h"
#include "physics/mujoco/tree_layout.h"

namespace lockstep {

/// The model as MJCF, the only input of MuJoCo 2.2. Elements are named by their index in the model
/// (b3 j2 g7 s5 m1 h0 t4 e6), so that nothing needs escaping and names map to ids. Meshes are files "m1.msh" of
/// a virtual file system; heightmaps are declared by their size and filled in afterwards, and so are the frames
/// of closures. The main file is "model.xml"; long chains of bodies continue in included files, because
/// MuJoCo's XML reader rejects deep nesting.
std::vector<MjcfFile> write_mjcf(const Model& model, const MujocoModelOptions& options,
                                 const ContactRules& rules, const Closures& closures, const TreeLayout& layout,
                                 const std::vector<CollisionShape>& shapes, const SolverCapacity& capacity);

/// Meshes of colliding shapes; MuJoCo gets no others.
std::vector<std::size_t> find_used_meshes(const Model& model);

}  // namespace lockstep
