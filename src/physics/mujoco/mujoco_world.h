#pragma once

#include <memory>

#include "physics/world.h"

namespace lockstep {

/// A world simulated by MuJoCo. Throws UserError if MuJoCo refuses the model.
std::unique_ptr<World> make_mujoco_world(std::shared_ptr<const Model> model);

}  // namespace lockstep
