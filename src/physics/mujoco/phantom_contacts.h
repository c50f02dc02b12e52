#pragma once

#include <mujoco/mujoco.h>

namespace lockstep {

/// Whether two boxes of the model can collide, which is where MuJoCo 2.2 creates phantom contacts.
bool has_box_pairs(const mjModel& m);

/// After mj_collision(): removes impossible contacts. Between boxes with nearly parallel faces, MuJoCo 2.2
/// sometimes reports an additional contact point that is decimetres deep, which blows up a resting stack. The
/// depth of two convex bodies along a contact normal cannot exceed the overlap of their projections on it.
void drop_phantom_contacts(const mjModel& m, mjData& d);

}  // namespace lockstep
