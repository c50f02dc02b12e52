#pragma once

#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/capacity.h"
#include "physics/mujoco/closures.h"
#include "physics/mujoco/contact_rules.h"
#include "physics/mujoco/driven_joints.h"
#include "physics/mujoco/handlers.h"
#include "physics/mujoco/joined_shapes.h"
#include "physics/mujoco/model_options.h"
#include "physics/mujoco/tree_layout.h"

namespace lockstep {

/// A compiled MuJoCo model, and the mapping between its ids and ours.
struct CompiledModel {
  MjModelPtr mujoco;
  ContactRules rules;
  Closures closures;  ///< closure i is equality constraint i; those of couplings and tendons follow
  std::vector<MovedRoot> moved_roots;
  std::vector<int> bodies;  ///< MuJoCo's id by BodyId
  std::vector<int>
      joints;  ///< MuJoCo's id by JointId; for the base of a moved root, the free joint of that root
  std::vector<BodyId> body_ids;               ///< by MuJoCo's id
  std::vector<ShapeId> shape_ids;             ///< by geom; of joined shapes the first
  std::vector<std::vector<ShapePart>> parts;  ///< by geom, of joined shapes; empty for others
  std::vector<std::size_t> ropes;             ///< index in Model::springs by actuator
  std::vector<DrivenDof> driven;
  std::vector<int> tendons;  ///< MuJoCo's id by TendonId
  bool steady_spin = true;   ///< of MujocoOptions
  std::vector<double> initial_qpos;
  std::vector<double> initial_qvel;
};

/// Reports errors that can be found before MuJoCo compiles the model, and returns the options of its <mujoco>
/// elements.
MujocoModelOptions check_for_mujoco(const Model& model, Diagnostics& diagnostics);

/// Throws UserError, with the place of the element if it is known, if MuJoCo rejects the model.
CompiledModel compile(const Model& model);

/// Sets larger sizes in the compiled model, for mj_makeData(); false if it has the largest ones.
bool grow_capacity(const Model& model, CompiledModel& compiled);
SolverCapacity capacity_of(const mjModel& m);
void set_capacity(const SolverCapacity& capacity, mjModel& m);

/// The shape of a geom at a point, m, world. Joined shapes have several.
ShapeId find_shape(const CompiledModel& compiled, const mjData& d, int geom, const Vec3& point);

/// Sets the initial state; the rest of `d` stays as mj_resetData() sets it.
void set_initial_state(const CompiledModel& compiled, mjData& d);

}  // namespace lockstep
