#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/shapes.h"

/// Simple shapes that stand for a mesh in collisions. All single fits contain every vertex of the mesh.
namespace lockstep {

/// A shape placed in the frame M of the mesh that it stands for.
struct FittedShape {
  std::variant<Box, Sphere, Capsule, Cylinder, Mesh> geometry;  ///< a mesh is convex
  Pose pose;                                                    ///< X_MS; identity for a mesh
};

/// "box", "sphere", "capsule", "cylinder", "hull".
std::string_view kind_name(const FittedShape& shape);

/// How far shapes and mesh are apart.
struct FitError {
  /// No point of the mesh's surface lies farther from the surface of a shape than this, and none of the shapes'
  /// common outside lies farther from the mesh's surface. m; an upper bound, at most 0.5 % of the size too
  /// large.
  double largest = 0.0;
  double mean = 0.0;          ///< of the distances in either direction, the larger mean, m
  double outside = 0.0;       ///< how far the mesh sticks out of the shapes, m; an upper bound as `largest`
  double volume_ratio = 0.0;  ///< of the shapes together to the mesh; 0 if the mesh encloses no volume
};

/// The capsule of the mesh's bounding box (iRMSS): along its longest edge, as thick as its shortest. It does
/// not contain the mesh: corners and the middle edge stick out.
FittedShape fit_bounding_capsule(const Mesh& mesh);

FittedShape fit_box(const Mesh& mesh);  ///< oriented, of small volume, as the others
FittedShape fit_sphere(const Mesh& mesh);
FittedShape fit_capsule(const Mesh& mesh);
FittedShape fit_cylinder(const Mesh& mesh);
FittedShape fit_hull(const Mesh& mesh);  ///< the convex hull; of a flat mesh, of one made a little thick

struct FitOptions {
  double max_error = 0.05;  ///< `largest` that is good enough, as a part of the mesh's size
  std::size_t max_shapes = 8;
};

struct Fit {
  std::vector<FittedShape> shapes;
  FitError error;
  double cost = 0.0;  ///< of a collision test, in tests of a sphere
  std::string text;   ///< "2 capsules, 1 hull: within 1.2 mm (mean 0.3 mm), 104 % of the volume"
};

/// Shapes that somebody else has chosen, with their error and cost.
Fit make_fit(const Mesh& mesh, std::vector<FittedShape> shapes);

/// The cheapest shapes that are good enough: one for the whole mesh, one for each connected piece of it, or for
/// each of several slices where cutting it pays. If none is good enough, the closest.
Fit choose_shapes(const Mesh& mesh, const FitOptions& options = {});

}  // namespace lockstep
