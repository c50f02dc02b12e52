#include "physics/mujoco/substeps.h"

#include <gtest/gtest.h>

#include "physics/conformance_testing.h"
#include "physics/mujoco/mujoco_engine.h"

namespace lockstep {
namespace {

constexpr Integrator kSubstepIntegrators[] = {Integrator::kEuler, Integrator::kRk4, Integrator::kImplicit};

/// A ball of 1 cm and 10 g that flies towards a wall of 2 cm, whose near side is at x = 0.
SmallModel make_shot(double speed, double restitution, double distance = 0.5) {
  SmallModel model;
  const MaterialId rubber = model.add_material("rubber", {.friction = 0.5, .restitution = restitution});
  const BodyId wall = model.add_body("wall", kWorldBody, {{0.01, 0.0, 0.0}, Quat::Identity()});
  model.add_joint(wall, JointType::kFixed);
  model.add_shape(wall, Box{{0.02, 2.0, 2.0}}, rubber);
  model.add_ball("ball", {-distance, 0.0, 0.0}, 0.005, 0.01, rubber);
  model.model.joints.back().initial_velocity[0] = speed;
  return model;
}

TEST(Substeps, ASmallBodyDoesNotPassThroughAThinWallAtAnySpeed) {
  for (const Integrator integrator : kSubstepIntegrators) {
    for (const double speed : {10.0, 40.0, 300.0}) {
      for (const double e : {0.0, 0.8}) {
        for (const double distance : {0.5, 0.503, 0.511, 0.527}) {
          SmallModel model = make_shot(speed, e, distance);
          model.model.engine.integrator = integrator;
          const auto world = MujocoEngine().make_world(model.share());
          for (int i = 0; i < 100; ++i) {
            ASSERT_TRUE(world->step().ok());
            ASSERT_LT(world->body_pose(BodyId{2}).p.x(), 0.01) << speed;  // the middle of the wall
          }
          EXPECT_NEAR(world->body_velocity(BodyId{2}).linear.x(), -e * speed, 1e-3 * speed) << speed;
        }
      }
    }
  }
}

TEST(Substeps, TwoSmallBodiesThatFlyTowardsEachOtherMeet) {
  SmallModel model;
  model.model.gravity.setZero();
  const MaterialId steel = model.add_material("steel", {.friction = 0.0, .restitution = 1.0});
  for (const double side : {-1.0, 1.0}) {
    model.add_ball(side < 0.0 ? "left" : "right", {side * 0.507, 0.0, 0.0}, 0.005, 0.01, steel);
    model.model.joints.back().initial_velocity[0] = -40.0 * side;
  }
  const auto world = MujocoEngine().make_world(model.share());
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(world->step().ok());
  EXPECT_NEAR(world->body_velocity(BodyId{1}).linear.x(), -40.0, 1e-3);
  EXPECT_NEAR(world->body_velocity(BodyId{2}).linear.x(), 40.0, 1e-3);
}

TEST(Substeps, TheWallFeelsTheChangeOfMomentum) {
  SmallModel model = make_shot(40.0, 0.8);
  model.model.gravity.setZero();
  const auto world = MujocoEngine().make_world(model.share());
  world->track({.joint_reactions = true});
  double of_contacts = 0.0, of_joint = 0.0;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(world->step().ok());
    for (const ContactPoint& contact : world->contacts())
      of_contacts += 1e-3 * (contact.a == ShapeId{0} ? 1.0 : -1.0) * contact.force.x();
    of_joint += 1e-3 * world->joint_reaction(JointId{0}).force.x();
  }
  EXPECT_NEAR(of_contacts, -0.01 * 1.8 * 40.0, 1e-4);
  EXPECT_NEAR(of_joint, -0.01 * 1.8 * 40.0, 1e-4);
}

/// A box of 1, 2 and 3 cm that tumbles towards the wall of make_shot().
SmallModel make_tumbling_shot(double restitution, Integrator integrator) {
  SmallModel model = make_shot(40.0, restitution);
  model.model.gravity.setZero();
  model.model.engine.integrator = integrator;
  const MaterialId smooth = model.add_material("smooth", {.friction = 0.0, .restitution = restitution});
  model.set_contact(smooth, MaterialId{1}, {.friction = 0.0, .restitution = restitution});
  model.add_box("box", {{-0.5, 0.5, 0.0}, Quat::Identity()}, {0.01, 0.02, 0.03}, 0.05, smooth);
  model.model.joints.back().initial_velocity = {40.0, 0.0, 0.0, 100.0, 30.0, -60.0};
  return model;
}

TEST(Substeps, ATumblingBodyThatBouncesWithoutLossKeepsItsEnergy) {
  constexpr double kOfItsEnergy = 1e-4;
  for (const Integrator integrator : kSubstepIntegrators) {
    const auto world = MujocoEngine().make_world(make_tumbling_shot(1.0, integrator).share());
    const double energy = world->report({.energy = true}).energy.kinetic;
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(world->step().ok());
      ASSERT_NEAR(world->report({.energy = true}).energy.kinetic, energy, kOfItsEnergy * energy)
          << "step " << i;
    }
    EXPECT_LT(world->body_velocity(BodyId{3}).linear.x(), 0.0);  // it did bounce
  }
}

TEST(Substeps, AccelerationsComeWithTheOrientationAtTheStartOfTheStep) {
  for (const Integrator integrator : kSubstepIntegrators) {
    const auto world = MujocoEngine().make_world(make_tumbling_shot(0.5, integrator).share());
    world->track({.accelerations = true});
    // The forces of a contact change during the stages of Runge-Kutta.
    const double bound = integrator == Integrator::kRk4 ? 1e-3 : 1e-6;
    for (int i = 0; i < 30; ++i) {
      const Pose start = world->body_pose(BodyId{3});
      const Twist before = world->body_velocity(BodyId{3});
      ASSERT_TRUE(world->step().ok());
      const BodyAcceleration acceleration = world->body_acceleration(BodyId{3});
      EXPECT_LT(acceleration.orientation.angularDistance(start.q), 1e-7) << "step " << i;
      // Substeps and impacts add up to the change of velocity.
      const Vec3 change = world->body_velocity(BodyId{3}).linear - before.linear;
      EXPECT_LT((1e-3 * acceleration.linear - change).norm(), bound * 40.0) << "step " << i;
    }
  }
}

TEST(Substeps, ARunGoesOnBitForBitFromTheMiddleOfAFlight) {
  const auto model = make_shot(40.0, 0.5).share();
  const auto world = MujocoEngine().make_world(model), other = MujocoEngine().make_world(model);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(world->step().ok());
    restore_bytes(*other, save_bytes(*world));
    EXPECT_EQ(save_bytes(*other), save_bytes(*world));
    EXPECT_EQ(world->body_pose(BodyId{2}).p, other->body_pose(BodyId{2}).p);
  }
}

}  // namespace
}  // namespace lockstep
