#pragma once

#include <vector>

#include "lockstep/world.h"

namespace lockstep::serve {

/// Per body: position, quaternion w x y z.
void append_poses(std::vector<float>& numbers, const World& world);
/// Per joint: rad of a hinge, m of a slide, else 0.
void append_joint_positions(std::vector<float>& numbers, const World& world);

}  // namespace lockstep::serve
