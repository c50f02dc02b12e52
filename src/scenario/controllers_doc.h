#pragma once

#include <string_view>

namespace lockstep {

/// The meaning of <controllers> in a robot, in a scenario and in a state.
inline constexpr std::string_view kControllersDoc =
    "Controllers: each reads signals and writes commands. Those of a <state> run while it lasts and start "
    "again "
    "whenever it is entered, with their time at zero.";

}  // namespace lockstep
