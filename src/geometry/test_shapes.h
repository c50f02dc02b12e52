#pragma once

#include "lockstep/shapes.h"
#include "lockstep/state.h"

/// Shapes and numbers shared by the tests of this folder.
namespace lockstep {

/// A closed mesh of 12 triangles.
Mesh make_box_mesh(const Box& box, const Vec3& center = Vec3::Zero());

/// The corner (0,0,0) and one corner on each axis.
Mesh make_corner_tetrahedron(double a, double b, double c);

/// A torus about z: `around` sections, each a polygon of `across` corners on the circle of radius `tube`.
Mesh make_torus(double radius, double tube, std::size_t around, std::size_t across);

Quat random_rotation(Random& random);
Vec3 random_direction(Random& random);

}  // namespace lockstep
