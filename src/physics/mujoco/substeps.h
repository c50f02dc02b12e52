#pragma once

#include <mujoco/mujoco.h>

namespace lockstep {

/// In how many parts a step must be taken so that no body passes through another one between two instants; 1
/// almost always.
///
/// Two shapes that touch are still seen on the right side of each other after a way of half of both their
/// thicknesses. Where the centre of one moves further than that against another one in `step` seconds, and that
/// lies on its way, the step is split until each part is half as long as it may be. How fast a shape turns is not
/// looked at.
int count_substeps(const mjModel& m, const mjData& d, double step);

/// However fast something is.
inline constexpr int kMaxSubsteps = 1000;

}  // namespace lockstep
