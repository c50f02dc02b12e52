#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/model.h"

namespace lockstep {

/// Which materials collide, as MuJoCo's collision bits (contype, conaffinity): materials that collide with the
/// same others share one bit.
struct CollisionGroups {
  std::vector<std::size_t> group_of_material;
  std::vector<std::uint32_t> touched;  ///< by group, a bit for each group it collides with; empty if too many
  std::size_t count = 0;
};

/// MuJoCo has 32 collision bits per geom.
inline constexpr std::size_t kMaxCollisionGroups = 31;

CollisionGroups make_collision_groups(const Model& model);

}  // namespace lockstep
