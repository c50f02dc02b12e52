#pragma once

#include <optional>
#include <vector>

#include "lockstep/model.h"
#include "physics/mujoco/options.h"

namespace lockstep {

/// The options of all <mujoco> elements of a model.
struct MujocoModelOptions {
  MujocoOptions all;
  std::vector<MujocoJointOptions> joints;               ///< by JointId
  std::vector<MujocoContactOptions> contacts;           ///< by Model::contacts
  std::vector<std::optional<Vec3>> loop_impedance;      ///< by Model::loops
  std::vector<std::optional<Vec3>> coupling_impedance;  ///< by Model::couplings
  std::vector<std::optional<Vec3>> tendon_impedance;    ///< by TendonId
};

/// Errors go into `diagnostics`; the options are complete only if there are none.
MujocoModelOptions read_model_options(const Model& model, Diagnostics& diagnostics);

}  // namespace lockstep
