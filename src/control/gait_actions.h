#pragma once

#include <span>
#include <string_view>

#include "control/gait.h"

namespace lockstep {

struct ReadyMadeAction {
  std::string_view name;
  GaitParameters parameters;
};

/// The actions that every gait knows, in the order of their numbers. Tuned for eleven modules of alternating
/// pitch and yaw; docs/gaits.md says where they take such a robot, and how fast.
std::span<const ReadyMadeAction> ready_made_actions();

}  // namespace lockstep
