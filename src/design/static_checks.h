#pragma once

#include "design/design.h"
#include "lockstep/error.h"
#include "lockstep/model.h"

/// Plausibility checks of a valid model without moving it. Each finding is a warning at the body or joint.
namespace lockstep {

/// Inertias inconsistent with the shapes, masses and sizes out of proportion, joints far from their links, axes
/// slightly off x, y or z.
void check_model(const Model& model, Diagnostics& diagnostics);

/// The scenario with loops that may be open at the start by any length, for check_loops().
Scenario with_open_loops(Scenario scenario);

/// For loops that are open at the start: whether moving hinges and slides can close them. An error if not.
void check_loops(const Model& model, Diagnostics& diagnostics);

/// Parts that belong to no link and are not ignored.
void check_parts(const Design& design, Diagnostics& diagnostics);

}  // namespace lockstep
