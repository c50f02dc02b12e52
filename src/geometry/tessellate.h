#pragma once

#include "lockstep/shapes.h"

/// Closed surfaces of the primitives, for 3D printing and drawing. Round ones are inside the exact surface,
/// within `deviation` (m).
namespace lockstep {

Mesh tessellated(const Box& box);
Mesh tessellated(const Sphere& sphere, double deviation);
Mesh tessellated(const Capsule& capsule, double deviation);
Mesh tessellated(const Cylinder& cylinder, double deviation);

}  // namespace lockstep
