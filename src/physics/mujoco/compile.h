#pragma once

#include <vector>

#include "model/model.h"
#include "physics/mujoco/closures.h"
#include "physics/mujoco/contact_rules.h"
#include "physics/mujoco/handlers.h"
#include "physics/mujoco/model_options.h"

namespace lockstep {

/// A model in MuJoCo's form, and how its ids relate to ours.
struct CompiledModel {
  MjModelPtr mujoco;
  ContactRules rules;
  Closures closures;               ///< closure i is equality constraint i; the couplings' follow
  std::vector<int> bodies;         ///< MuJoCo's id by BodyId
  std::vector<int> joints;         ///< MuJoCo's id by JointId
  std::vector<BodyId> body_ids;    ///< by MuJoCo's id
  std::vector<ShapeId> shape_ids;  ///< by geom
  std::vector<std::size_t> ropes;  ///< index in Model::springs by actuator
  bool steady_spin = true;         ///< of MujocoOptions
  std::vector<double> initial_qpos;
  std::vector<double> initial_qvel;
};

/// Reports what can be said against the model before MuJoCo sees it, and returns what its <mujoco> elements
/// say.
MujocoModelOptions check_for_mujoco(const Model& model, Diagnostics& diagnostics);

/// Throws UserError, with the place of the element where it can be told, if MuJoCo rejects the model.
CompiledModel compile(const Model& model);

/// Sets the initial state; everything else of `d` is as mj_resetData() leaves it.
void set_initial_state(const CompiledModel& compiled, mjData& d);

}  // namespace lockstep
