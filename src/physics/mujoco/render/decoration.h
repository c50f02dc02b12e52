#pragma once

#include <mujoco/mujoco.h>

#include "render/renderer.h"

namespace lockstep {

/// Adds items without a shape to a scene: springs and ropes, water, and the marks that the options request.
/// `extent` is the size of the scene, m.
void add_decoration(const World& world, const SceneOptions& options, double extent, mjvScene& scene);

/// Geoms that add_decoration() may need.
int count_decoration(const Model& model);

}  // namespace lockstep
