#include "physics/mujoco/raw_mujoco.h"

#include <gtest/gtest.h>

#include <cstring>

#include "physics/conformance_testing.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/options.h"

namespace lockstep {
namespace {

/// First step after which the positions differ in any bit; -1 if they never do.
int find_difference(SmallModel model, Integrator integrator, int steps) {
  model.model.engine.integrator = integrator;
  const auto shared = model.share();
  const auto world = MujocoEngine().make_world(shared);
  RawMujoco raw(*shared);
  for (int step = 0; step < steps; ++step) {
    EXPECT_TRUE(world->step().ok());
    raw.step();
    for (std::size_t i = 0; i < shared->joints.size(); ++i) {
      const JointId joint{static_cast<int>(i)};
      const auto ours = world->joint_position(joint);
      if (std::memcmp(ours.data(), raw.qpos().data() + raw.position_offset(joint), ours.size_bytes()) != 0)
        return step;
    }
  }
  return -1;
}

constexpr Integrator kIntegrators[] = {Integrator::kEuler, Integrator::kRk4, Integrator::kImplicit};

TEST(RawMujoco, GivesTheSameBitsForAPendulum) {
  for (const Integrator integrator : kIntegrators)
    EXPECT_EQ(find_difference(make_pendulum(1.0), integrator, 1000), -1);
}

TEST(RawMujoco, GivesTheSameBitsForAChainOnTheGround) {
  SmallModel model = make_chain(12, false);
  model.model.engine.own = write_own(MujocoOptions{.level_sliding = false, .steady_spin = false});
  model.add_ground();
  for (JointModel& joint : model.model.joints) {
    if (joint.type == JointType::kHinge)
      joint.damping = 0.02, joint.lower = -1.0, joint.upper = 1.0, joint.friction = 0.01;
  }
  for (const Integrator integrator : kIntegrators) EXPECT_EQ(find_difference(model, integrator, 1000), -1);
}

/// Whether velocities agree in every bit after 200 steps. Reading the positions of the raw engine would bring
/// its quaternions to unit length.
bool gives_same_bits(SmallModel model, Integrator integrator, bool steady_spin) {
  model.model.engine.integrator = integrator;
  model.model.engine.own = write_own(MujocoOptions{.steady_spin = steady_spin});
  const auto shared = model.share();
  const auto world = MujocoEngine().make_world(shared);
  RawMujoco raw(*shared);
  for (int step = 0; step < 200; ++step) {
    EXPECT_TRUE(world->step().ok());
    raw.step();
  }
  for (std::size_t i = 0; i < shared->joints.size(); ++i) {
    const JointId joint{static_cast<int>(i)};
    const auto ours = world->joint_velocity(joint);
    if (std::memcmp(ours.data(), raw.qvel().data() + raw.velocity_offset(joint), ours.size_bytes()) != 0)
      return false;
  }
  return true;
}

TEST(RawMujoco, GivesTheSameBitsForFreeAndBallJointsOnlyWithoutSteadySpin) {
  for (const SmallModel& model :
       {make_flying_disc({2.0, 0.0, 20.0}, {0.1, 0.0, 0.0}), make_ball_chain(4, 1.0, 3.0)}) {
    for (const Integrator integrator : kIntegrators) {
      EXPECT_TRUE(gives_same_bits(model, integrator, false));
      EXPECT_FALSE(gives_same_bits(model, integrator, true));
    }
  }
}

TEST(RawMujoco, GivesTheSameBitsForAFourBarLoop) {
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kRk4}) {
    EXPECT_EQ(find_difference(make_four_bar(), integrator, 1000), -1);
  }
}

TEST(RawMujoco, HasCapacityForEveryIntegratorEvenForSmallModels) {
  for (const int links : {1, 7, 40}) {
    SmallModel model = make_chain(links, true);
    for (ShapeModel& shape : model.model.shapes) shape.collide = false;
    for (const Integrator integrator : kIntegrators) EXPECT_EQ(find_difference(model, integrator, 20), -1);
  }
}

TEST(RawMujoco, TakesGeneralisedForcesInMujocosOrder) {
  RawMujoco raw(make_pendulum(0.0).model);
  const std::array force{0.5};
  for (int i = 0; i < 10; ++i) raw.step(force);
  EXPECT_GT(raw.qvel()[raw.velocity_offset(JointId{0})], 0.0);
}

}  // namespace
}  // namespace lockstep
