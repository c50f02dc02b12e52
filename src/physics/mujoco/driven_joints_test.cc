#include "physics/mujoco/driven_joints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "physics/model_builder_testing.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/options.h"

namespace lockstep {
namespace {

constexpr double kWeight = 9.81;  // of 1 kg, N

/// A table of 10 kg that is driven along an axis, with its surface at z = 0.
SmallModel make_driven_table(const Vec3& axis, const MujocoOptions& options = {}) {
  SmallModel model;
  model.model.engine.own = write_own(options);
  const BodyId table =
      model.add_body("table", kWorldBody, {{0.0, 0.0, -0.05}, Quat::Identity()}, 10.0, Vec3::Constant(1.0));
  model.add_joint(table, JointType::kSlide, axis).driven = true;
  model.add_shape(table, Box{{2.0, 2.0, 0.1}});
  return model;
}

TEST(DrivenJoints, EverySolverAndConeGivesTheForceOfALoadThatMovesAlong) {
  for (const Solver solver : {Solver::kNewton, Solver::kCg, Solver::kPgs}) {
    for (const FrictionCone cone : {FrictionCone::kElliptic, FrictionCone::kPyramidal}) {
      SmallModel model = make_driven_table(Vec3::UnitX(), {.solver = solver, .cone = cone});
      model.model.engine.iterations = 1000;
      const BodyId crate = model.add_box("crate", {{0.0, 0.0, 0.1}, Quat::Identity()}, {0.4, 0.4, 0.2}, 30.0);
      const auto world = MujocoEngine().make_world(model.share());
      for (int i = 1; i <= 1000; ++i) {
        const double t = 1e-3 * i;
        world->drive_joint(JointId{0}, {1.0 * t * t, 2.0 * t});
        ASSERT_TRUE(world->step().ok());
      }
      EXPECT_NEAR(world->joint_position(JointId{0})[0], 1.0, 1e-12);
      EXPECT_NEAR(world->body_velocity(crate).linear.x(), 2.0, 0.01);
      EXPECT_NEAR(world->joint_force(JointId{0})[0], 2.0 * (10.0 + 30.0), 0.01 * 80.0)
          << static_cast<int>(solver) << " " << static_cast<int>(cone);
    }
  }
}

TEST(DrivenJoints, DoNotTouchWhatIsFixedOrDrivenItself) {
  SmallModel model = make_driven_table(Vec3::UnitZ());
  model.add_ground();
  const BodyId drawer =
      model.add_body("drawer", BodyId{1}, {{0.0, 0.0, 0.02}, Quat::Identity()}, 3.0, Vec3::Constant(0.1));
  model.add_joint(drawer, JointType::kSlide, Vec3::UnitX()).driven = true;
  model.add_shape(drawer, Box{{0.2, 0.2, 0.2}});
  const BodyId wall = model.add_body("wall", kWorldBody, {{1.0, 0.0, 0.0}, Quat::Identity()});
  model.add_shape(wall, Box{{0.2, 1.0, 1.0}});
  const auto world = MujocoEngine().make_world(model.share());
  for (int i = 1; i <= 500; ++i) {
    world->drive_joint(JointId{0}, {-1e-4 * i, -0.1});
    world->drive_joint(JointId{1}, {2e-3 * i, 2.0});
    ASSERT_TRUE(world->step().ok());
  }
  EXPECT_NEAR(world->joint_force(JointId{0})[0], 13.0 * kWeight, 1e-6);
  EXPECT_NEAR(world->joint_force(JointId{1})[0], 0.0, 1e-6);
  EXPECT_EQ(world->report({.solver = true}).solver.contacts, 0);
}

TEST(DrivenJoints, CarryTheArmatureAndOvercomeDampingAndSprings) {
  SmallModel model = make_driven_table(Vec3::UnitX());
  JointModel& joint = model.model.joints[0];
  joint.armature = 5.0;
  joint.damping = 7.0;
  joint.stiffness = 11.0;
  joint.friction = 13.0;
  const auto world = MujocoEngine().make_world(model.share());
  for (int i = 1; i <= 1000; ++i) {
    const double t = 1e-3 * i;
    world->drive_joint(JointId{0}, {t * t, 2.0 * t});
    ASSERT_TRUE(world->step().ok());
  }
  EXPECT_NEAR(world->joint_force(JointId{0})[0], 15.0 * 2.0 + 7.0 * 2.0 + 11.0 * 1.0 + 13.0, 0.03);
  const WorldReport report = world->report({.energy = true, .work = true});
  EXPECT_NEAR(report.energy.kinetic, 0.5 * 15.0 * 4.0, 1e-9);
  EXPECT_NEAR(report.energy.potential - 10.0 * kWeight * -0.05, 0.5 * 11.0, 1e-9);
  EXPECT_NEAR(report.work.damping, -7.0 * 4.0 / 3.0, 0.01);
  EXPECT_NEAR(report.work.friction, -13.0, 0.01);
  EXPECT_NEAR(report.work.unexplained, 0.0, 0.02);
}

}  // namespace
}  // namespace lockstep
