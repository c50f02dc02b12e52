#pragma once

#include <vector>

#include "geometry/fit.h"
#include "geometry/mesh_distance.h"

namespace lockstep {

/// By how much of the size an error is stated too large, at most.
inline constexpr double kFitPrecision = 5e-3;

/// FitError::largest alone. If it is more than `limit`, any bound that is, found as soon as possible.
double calc_largest_distance(const Mesh& mesh, const MeshDistance& to_mesh,
                             const std::vector<FittedShape>& shapes, double precision, double limit);

FitError calc_fit_error(const Mesh& mesh, const MeshDistance& to_mesh, const std::vector<FittedShape>& shapes);

}  // namespace lockstep
