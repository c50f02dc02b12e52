#pragma once

#include <mujoco/mujoco.h>

#include "render/renderer.h"

namespace lockstep {

/// Adds to a scene what has no shape: springs and ropes, water, and what the options ask for. `extent` is the
/// size of the scene, m.
void add_decoration(const World& world, const SceneOptions& options, double extent, mjvScene& scene);

/// Geoms that add_decoration() may need.
int count_decoration(const Model& model);

}  // namespace lockstep
