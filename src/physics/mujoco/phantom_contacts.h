#pragma once

#include <mujoco/mujoco.h>

namespace lockstep {

/// Whether two boxes of the model could touch, which is where MuJoCo 2.2 makes phantom contacts.
bool has_box_pairs(const mjModel& m);

/// After mj_collision(): takes out contacts that cannot be. Between boxes whose faces are nearly parallel,
/// MuJoCo 2.2 now and then reports one contact point too many, decimetres deep, and throws a resting stack
/// apart. Two convex bodies can be no deeper in each other along a contact's normal than their shadows on it
/// overlap.
void drop_phantom_contacts(const mjModel& m, mjData& d);

}  // namespace lockstep
