#pragma once

#include <span>

#include "lockstep/shapes.h"

/// Mass properties in closed form, at unit density: multiply mass and inertia by the density.
namespace lockstep {

MassProperties unit_mass(const Box& box);
MassProperties unit_mass(const Sphere& sphere);
MassProperties unit_mass(const Capsule& capsule);
MassProperties unit_mass(const Cylinder& cylinder);

/// Exact for the polyhedron. Valid only if find_mesh_defect() returns "".
MassProperties unit_mass(const Mesh& mesh);

/// Why a mesh encloses no volume ("it is open at 12 edges", "its faces point inwards"); empty if it does.
std::string find_mesh_defect(const Mesh& mesh);

/// The same body in frame A, given X_AB.
MassProperties transformed(const MassProperties& body, const Pose& X_AB);
/// Two bodies welded together, given in the same frame.
MassProperties combined(const MassProperties& a, const MassProperties& b);

/// Why these properties are physically impossible ("the inertia violates Ixx + Iyy >= Izz"); empty if they are
/// possible.
std::string find_mass_defect(const MassProperties& body);

}  // namespace lockstep
