#include <mujoco/mujoco.h>

#include "physics/conformance_contact_testing.h"
#include "physics/conformance_drive_testing.h"
#include "physics/conformance_joints_testing.h"
#include "physics/conformance_motion_testing.h"
#include "physics/conformance_reactions_testing.h"
#include "physics/conformance_state_testing.h"
#include "physics/conformance_work_testing.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/options.h"

namespace lockstep {
namespace {

const auto kEngines = testing::Values(EngineUnderTest{std::make_shared<MujocoEngine>()});
const auto kName = [](const auto& info) { return info.param.name(); };

INSTANTIATE_TEST_SUITE_P(Mujoco, Conformance, kEngines, kName);
INSTANTIATE_TEST_SUITE_P(Mujoco, WorkConformance, kEngines, kName);
INSTANTIATE_TEST_SUITE_P(Mujoco, DriveConformance, kEngines, kName);
INSTANTIATE_TEST_SUITE_P(Mujoco, ConformanceThreads, kEngines, kName);

TEST(MujocoWorld, ABodyThatTurnsTooFarInOneStepEndsTheRunWithItsName) {
  SmallModel model = make_flying_disc({3000.0, 0.0, 5000.0});
  model.model.engine.own = write_own(MujocoOptions{.level_sliding = false});  // no substeps
  const auto world = MujocoEngine().make_world(model.share());
  const Status status = world->step();
  EXPECT_EQ(status.outcome, Outcome::kDiverged);
  EXPECT_EQ(status.subject, "disc");
  EXPECT_EQ(status.cause, "it rotates too far in one step; use a smaller step");
  EXPECT_EQ(world->joint_velocity(JointId{0})[5], 5000.0);
}

int mujoco_allocations = 0;

/// In addition to operator new, which the suite counts.
TEST(MujocoWorld, AStepAllocatesNoMemoryInMujoco) {
  const auto world = MujocoEngine().make_world(make_everything(Integrator::kEuler).share());
  mju_user_malloc = [](std::size_t size) {
    ++mujoco_allocations;
    return std::malloc(size);
  };
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(drive(*world).ok());
  mju_user_malloc = nullptr;
  EXPECT_EQ(mujoco_allocations, 0);
}

}  // namespace
}  // namespace lockstep
