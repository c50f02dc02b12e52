#pragma once

#include <mujoco/mujoco.h>

namespace lockstep {

/// Number of substeps in which a step must be taken so that no body passes through another one between two
/// instants, and so that no free or ball joint rotates further than its integration is exact; almost always 1.
///
/// Collision detection separates two shapes to the correct side as long as they move by at most half the sum of
/// their thicknesses. If the centre of a shape moves further than that relative to another shape in `step`
/// seconds, and the other shape is in its path, each substep covers at most half of that distance. How far a shape
/// reaches by rotating about its own centre is not considered.
int count_substeps(const mjModel& m, const mjData& d, double step);

/// Limit of the number of substeps at any speed.
inline constexpr int kMaxSubsteps = 1000;

}  // namespace lockstep
