#pragma once

#include <optional>
#include <string>

#include "lockstep/shapes.h"
#include "scenario/scenario.h"

/// Masses of imported links.
namespace lockstep {

/// A shape at density 1, in its own frame. A mesh that encloses no volume counts as the box around it, and
/// `note` says so; `mesh` is that of a MeshFile, in the units of the file.
MassProperties unit_mass_of(const Geometry& geometry, const Mesh* mesh, std::string& note);

/// The nearest properties that a rigid body can have: to each principal moment the same is added until none of
/// them is larger than the sum of the others. Nothing if they are possible already.
std::optional<MassProperties> repaired(const MassProperties& body);

Inertial to_inertial(const MassProperties& body);

/// A body of so much mass and hardly any size, for what must have a mass where none is told.
MassProperties make_grain(double mass);

}  // namespace lockstep
