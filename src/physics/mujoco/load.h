#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/handlers.h"

namespace lockstep {

/// A file in memory for MuJoCo's compiler; "model.xml" is the main one.
struct MjcfFile {
  std::string name;
  std::string text;
};

/// Compiles the model of these files. Throws MujocoError with MuJoCo's error if it rejects them.
MjModelPtr load_mjcf(const std::vector<MjcfFile>& files);

}  // namespace lockstep
