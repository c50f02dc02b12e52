#pragma once

#include "lockstep/error.h"
#include "render/renderer.h"

namespace lockstep {

/// A renderer for worlds of the model of this one, of any engine. How far one can see and how large the squares
/// of the ground are follows from the size of the scene as it stands now. Throws UserError if the model has
/// more meshes than can be drawn.
Result<std::unique_ptr<Renderer>> make_mujoco_renderer(const World& world, int width, int height);

}  // namespace lockstep
