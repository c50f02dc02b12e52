#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "control/gait.h"

namespace lockstep {

struct BuiltInAction {
  std::string_view name;
  GaitParameters parameters;
};

/// The built-in actions for a robot with this number of pitch and yaw joints, in the order of their numbers.
/// Tuned for eleven modules of alternating pitch and yaw; docs/gaits.md lists the direction and speed of such a
/// robot with each.
std::vector<BuiltInAction> built_in_actions(std::size_t joints);

}  // namespace lockstep
