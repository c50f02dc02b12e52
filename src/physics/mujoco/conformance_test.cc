#include "physics/conformance_contact_testing.h"
#include "physics/conformance_joints_testing.h"
#include "physics/conformance_motion_testing.h"
#include "physics/conformance_state_testing.h"
#include "physics/mujoco/mujoco_world.h"

namespace lockstep {
namespace {

const auto kEngines = testing::Values(EngineUnderTest{"Mujoco", make_mujoco_world});
const auto kName = [](const auto& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(Mujoco, Conformance, kEngines, kName);
INSTANTIATE_TEST_SUITE_P(Mujoco, ConformanceThreads, kEngines, kName);

}  // namespace
}  // namespace lockstep
