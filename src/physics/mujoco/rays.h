#pragma once

#include <optional>
#include <span>

#include "lockstep/world.h"
#include "physics/mujoco/instance.h"

namespace lockstep {

/// World::cast_ray(). MuJoCo's own mj_ray() excludes one body at most, and lets rays slip between triangles.
std::optional<RayHit> find_ray_hit(const MujocoInstance& instance, const Vec3& origin, const Vec3& direction,
                                   double range, std::span<const BodyId> ignored);

}  // namespace lockstep
