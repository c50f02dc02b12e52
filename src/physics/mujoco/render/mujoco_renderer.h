#pragma once

#include "lockstep/error.h"
#include "render/renderer.h"

namespace lockstep {

/// Creates a renderer for worlds of this world's model, of any engine. The view distance and the size of the
/// ground squares follow from the current size of the scene. Throws UserError if the model has more meshes than
/// can be drawn.
Result<std::unique_ptr<Renderer>> make_mujoco_renderer(const World& world, int width, int height);

}  // namespace lockstep
