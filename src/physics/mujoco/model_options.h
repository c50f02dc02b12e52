#pragma once

#include <optional>
#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/options.h"

namespace lockstep {

/// What all <mujoco> elements of a model say.
struct MujocoModelOptions {
  MujocoOptions all;
  std::vector<MujocoJointOptions> joints;               ///< by JointId
  std::vector<std::optional<Vec3>> contact_impedance;   ///< by Model::contacts
  std::vector<std::optional<Vec3>> loop_impedance;      ///< by Model::loops
  std::vector<std::optional<Vec3>> coupling_impedance;  ///< by Model::couplings
};

/// Everything wrong goes into `diagnostics`; the options are complete only if nothing was.
MujocoModelOptions read_model_options(const Model& model, Diagnostics& diagnostics);

}  // namespace lockstep
