#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/model.h"

namespace lockstep {

/// Which materials touch which, as the bits by which MuJoCo decides: materials that touch the same others share
/// one.
struct CollisionGroups {
  std::vector<std::size_t> group_of_material;
  std::vector<std::uint32_t> touched;  ///< by group, a bit for each group it touches; empty if too many
  std::size_t count = 0;
};

/// MuJoCo has 32 bits to say which geoms may touch.
inline constexpr std::size_t kMaxCollisionGroups = 31;

CollisionGroups make_collision_groups(const Model& model);

}  // namespace lockstep
