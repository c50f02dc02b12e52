#pragma once

#include "scenario/scenario.h"

/// The mechanisms of the benchmarks, as scenarios, with a joint sensor and a torque actuator on every joint.
namespace lockstep {

Scenario make_pendulum_scenario(int links);  ///< hanging chain of links, swinging freely
Scenario make_arm_scenario();                ///< seven joints in series, held by servos
Scenario make_four_bar_scenario();           ///< one closed loop, turned by a torque
Scenario make_chain_scenario(int joints);    ///< links on the ground, joints moved like a snake
/// The same with three sensors per joint: encoder, pose and velocity of the link.
Scenario make_sensing_chain_scenario(int joints);

}  // namespace lockstep
