#pragma once

#include <vector>

#include "geometry/fit.h"
#include "geometry/mesh_distance.h"

namespace lockstep {

/// Maximum overestimate of an error, relative to the size of the mesh.
inline constexpr double kFitPrecision = 5e-3;

/// FitError::largest alone. If it exceeds `limit`, returns early with any bound above `limit`.
double calc_largest_distance(const Mesh& mesh, const MeshDistance& to_mesh,
                             const std::vector<FittedShape>& shapes, double precision, double limit);

FitError calc_fit_error(const Mesh& mesh, const MeshDistance& to_mesh, const std::vector<FittedShape>& shapes);

}  // namespace lockstep
