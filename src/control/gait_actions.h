#pragma once

#include <span>
#include <string_view>

#include "control/gait.h"

namespace lockstep {

struct BuiltInAction {
  std::string_view name;
  GaitParameters parameters;
};

/// The built-in actions, in the order of their numbers. Tuned for eleven modules of alternating pitch and yaw;
/// docs/gaits.md lists the direction and speed of such a robot with each.
std::span<const BuiltInAction> built_in_actions();

}  // namespace lockstep
