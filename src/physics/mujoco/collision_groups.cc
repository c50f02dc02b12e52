#include "physics/mujoco/collision_groups.h"

namespace lockstep {

CollisionGroups make_collision_groups(const Model& model) {
  CollisionGroups groups;
  std::vector<std::size_t> first_of_group;
  const std::size_t count = model.materials.size();
  const auto touches = [&](std::size_t a, std::size_t b) { return model.contacts[a * count + b].collide; };
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t group = 0;
    for (; group < first_of_group.size(); ++group) {
      bool same = true;
      for (std::size_t j = 0; j < count && same; ++j) same = touches(i, j) == touches(first_of_group[group], j);
      if (same) break;
    }
    if (group == first_of_group.size()) first_of_group.push_back(i);
    groups.group_of_material.push_back(group);
  }
  groups.count = first_of_group.size();
  if (groups.count > kMaxCollisionGroups) return groups;
  for (const std::size_t a : first_of_group) {
    std::uint32_t mask = 0;
    for (std::size_t b = 0; b < first_of_group.size(); ++b) {
      if (touches(a, first_of_group[b])) mask |= 1u << b;
    }
    groups.touched.push_back(mask);
  }
  return groups;
}

}  // namespace lockstep
