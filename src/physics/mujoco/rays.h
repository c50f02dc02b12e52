#pragma once

#include <optional>
#include <span>

#include "lockstep/world.h"
#include "physics/mujoco/instance.h"

namespace lockstep {

/// Implements World::cast_ray(). MuJoCo's mj_ray() can exclude only one body, and misses rays between
/// triangles.
std::optional<RayHit> find_ray_hit(const MujocoInstance& instance, const Vec3& origin, const Vec3& direction,
                                   double range, std::span<const BodyId> ignored);

}  // namespace lockstep
