#pragma once

#include <optional>
#include <string>

#include "lockstep/shapes.h"
#include "scenario/scenario.h"

/// Masses of imported links.
namespace lockstep {

/// A shape at density 1, in its own frame. The holes of a mesh that encloses no volume are closed; if that fails, it
/// is replaced by its bounding box. A `note` says why and how; `mesh` is that of a MeshFile, in the units of the file.
MassProperties unit_mass_of(const Geometry& geometry, const Mesh* mesh, std::string& note);

/// The nearest physically possible inertia: adds the same value to each principal moment until none is larger
/// than the sum of the other two. Empty if it is possible already.
std::optional<MassProperties> repaired(const MassProperties& body);

Inertial to_inertial(const MassProperties& body);

/// A small body with this mass, for links that need a mass but specify none.
MassProperties make_grain(double mass);

}  // namespace lockstep
