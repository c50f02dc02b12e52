#pragma once

#include "design/design.h"
#include "lockstep/error.h"
#include "lockstep/model.h"

/// What looks wrong in a model that can be built, without moving it. Each finding is a warning at the body or
/// joint.
namespace lockstep {

/// Inertias that do not fit the shapes, masses and sizes out of proportion, joints far from what they join,
/// axes that just miss a direction.
void check_model(const Model& model, Diagnostics& diagnostics);

/// The scenario with loops that may be open at the start by any length, for check_loops().
Scenario with_open_loops(Scenario scenario);

/// Loops that are open at the start: whether moving the hinges and slides can close them at all. An error if
/// not.
void check_loops(const Model& model, Diagnostics& diagnostics);

/// Parts that belong to no link and were not omitted on purpose.
void check_parts(const Design& design, Diagnostics& diagnostics);

}  // namespace lockstep
