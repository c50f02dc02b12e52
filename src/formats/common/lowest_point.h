#pragma once

#include "lockstep/shapes.h"
#include "scenario/scenario.h"

namespace lockstep {

/// The smallest z of a shape S, m, given X_WS. `mesh` is that of a MeshFile, in the units of the file.
double calc_lowest_point(const Geometry& geometry, const Mesh* mesh, const Pose& X_WS);

}  // namespace lockstep
