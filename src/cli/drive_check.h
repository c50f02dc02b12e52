#pragma once

#include "lockstep/model.h"
#include "scenario/scenario.h"

namespace lockstep {

/// Warns about servos that are too stiff or too strongly damped for the inertia they move. Their force is constant
/// within a step h, so that an inertia m with damping d and stiffness k oscillates from step to step, and gains
/// energy, unless h d / m < 2 and h^2 k / m < 4 - 2 h d / m. Robots with closed loops are not checked: their joints
/// move more than the tree says.
void check_drives(const Scenario& scenario, const Model& model, Diagnostics& diagnostics);

}  // namespace lockstep
