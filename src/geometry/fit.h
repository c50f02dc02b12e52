#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/shapes.h"

/// Fits simple collision shapes to a mesh. All single fits contain every vertex of the mesh.
namespace lockstep {

/// A shape in the frame M of the mesh that it replaces.
struct FittedShape {
  std::variant<Box, Sphere, Capsule, Cylinder, Mesh> geometry;  ///< a mesh is convex
  Pose pose;                                                    ///< X_MS; identity for a mesh
};

/// "box", "sphere", "capsule", "cylinder", "hull".
std::string_view kind_name(const FittedShape& shape);

/// Distance between a mesh and its shapes; see fit_error.cc for how it is computed.
struct FitError {
  /// Two-sided Hausdorff distance, m, between the surface of the mesh and the outer surface of the union of the
  /// shapes. An upper bound: at most 0.5 % of the size of the mesh too large.
  double largest = 0.0;
  double mean = 0.0;          ///< mean distance in the direction in which it is larger, m
  double outside = 0.0;       ///< how far the mesh extends beyond the shapes, m; an upper bound like `largest`
  double volume_ratio = 0.0;  ///< of the union of the shapes to the mesh; 0 if the mesh encloses no volume
};

/// The capsule of the mesh's bounding box (iRMSS): along its longest edge, as thick as its shortest. It does
/// not contain the mesh: corners are outside.
FittedShape fit_bounding_capsule(const Mesh& mesh);

FittedShape fit_box(const Mesh& mesh);  ///< oriented, of small volume, like the others
FittedShape fit_sphere(const Mesh& mesh);
FittedShape fit_capsule(const Mesh& mesh);
FittedShape fit_cylinder(const Mesh& mesh);
FittedShape fit_hull(const Mesh& mesh);  ///< the convex hull; a flat mesh gets a small thickness

struct FitOptions {
  double max_error = 0.05;  ///< maximum `largest`, relative to the size of the mesh
  std::size_t max_shapes = 8;
};

struct Fit {
  std::vector<FittedShape> shapes;
  FitError error;
  double cost = 0.0;  ///< of a collision test, relative to a sphere
  std::string text;   ///< "2 capsules, 1 hull: within 1.2 mm (mean 0.3 mm), 104 % of the volume"
};

/// Error and cost of given shapes.
Fit make_fit(const Mesh& mesh, std::vector<FittedShape> shapes);

/// The cheapest shapes within max_error: one for the whole mesh, one for each connected piece of it, or one for
/// each of several slices if cutting reduces the volume. If none is within max_error, the closest.
Fit choose_shapes(const Mesh& mesh, const FitOptions& options = {});

}  // namespace lockstep
