#pragma once

#include "physics/conformance_testing.h"

/// Joint reactions.
namespace lockstep {

/// A body of 2 kg, 0.3 m below and 0.2 m beside its anchor, which is 1 m above the origin.
inline SmallModel make_hanging(JointType type, bool detachable) {
  SmallModel model;
  const BodyId hook = model.add_body("hook", kWorldBody, {{0.5, 0.0, 1.0}, turn(0.4, Vec3::UnitZ())});
  const BodyId load = model.add_body("load", hook, {{0.0, 0.0, -0.3}, Quat::Identity()}, 2.0,
                                     Vec3(0.02, 0.03, 0.01), {0.2, 0.0, 0.0});
  model.add_joint(load, type, Vec3::UnitY(), {0.0, 0.0, 0.3}).detachable = detachable;
  return model;
}

TEST_P(Conformance, AFixedJointCarriesTheWeightAndTorqueOfItsLoad) {
  LOCKSTEP_NEEDS(joint_reactions);
  LOCKSTEP_NEEDS(detachable_joints);
  for (const bool detachable : {false, true}) {
    const auto world = make_world(make_hanging(JointType::kFixed, detachable));
    world->track({.joint_reactions = true});
    run(*world, 1.0);
    const Vec3 weight(0.0, 0.0, -2.0 * kGravity);
    const Vec3 arm = turn(0.4, Vec3::UnitZ()) * Vec3(0.2, 0.0, -0.3);
    const double tolerance = detachable ? 1e-3 : 1e-9;  // a closure has to settle
    EXPECT_LT((world->joint_reaction(JointId{0}).force + weight).norm(), tolerance);
    EXPECT_LT((world->joint_reaction(JointId{0}).torque + arm.cross(weight)).norm(), tolerance);
  }
}

TEST_P(Conformance, EveryJointOfAChainCarriesTheWeightBelowIt) {
  LOCKSTEP_NEEDS(joint_reactions);
  LOCKSTEP_NEEDS(detachable_joints);
  for (const bool detachable : {false, true}) {
    SmallModel model;
    BodyId parent = kWorldBody;
    for (int i = 0; i < 3; ++i) {
      parent = model.add_body(fmt::format("link{}", i), parent, {{0.0, 0.0, -0.2}, Quat::Identity()}, 1.0 + i,
                              Vec3::Constant(0.01), {0.0, 0.0, -0.1});
      model.add_joint(parent, JointType::kHinge, Vec3::UnitY()).detachable = detachable && i == 1;
    }
    const auto world = make_world(model);
    world->track({.joint_reactions = true});
    run(*world, 0.5);
    for (int i = 0; i < 3; ++i) {
      const double below = i == 0 ? 6.0 : i == 1 ? 5.0 : 3.0;
      EXPECT_LT((world->joint_reaction(JointId{i}).force - Vec3(0.0, 0.0, below * kGravity)).norm(), 1e-3) << i;
    }
  }
}

TEST_P(Conformance, ReactionsAreZeroUnlessRequested) {
  LOCKSTEP_NEEDS(joint_reactions);
  const auto world = make_world(make_pendulum(0.0));
  run(*world, 0.01);
  EXPECT_EQ(world->joint_reaction(JointId{0}).force, Vec3(Vec3::Zero()));
}

TEST_P(Conformance, ASwingingPendulumPullsWithItsWeightAndCentrifugalForce) {
  LOCKSTEP_NEEDS(joint_reactions);
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  const double release = 1.2;
  SmallModel model = make_pendulum(release);
  model.model.engine.integrator = Integrator::kRk4;
  const auto world = make_world(model);
  world->track({.joint_reactions = true});
  double before = release;  // a reaction belongs to the step that started there
  run(*world, 2.0, [&] {
    const Vec3 along_rod(-std::sin(before), 0.0, -std::cos(before));
    // T = m g cos a + m v^2 / l, with v^2 = 2 g l (cos a - cos a0)
    const double tension = kGravity * (3.0 * std::cos(before) - 2.0 * std::cos(release));
    EXPECT_NEAR(-world->joint_reaction(JointId{0}).force.dot(along_rod), tension, 1e-3);
    EXPECT_LT(std::abs(world->joint_reaction(JointId{0}).torque.y()), 1e-9);  // nothing drives the hinge
    before = world->joint_position(JointId{0})[0];
  });
}

TEST_P(Conformance, AMotorIsPartOfTheReactionOfItsJoint) {
  LOCKSTEP_NEEDS(joint_reactions);
  for (const bool detachable : {false, true}) {
    const auto world = make_world(make_hanging(JointType::kHinge, detachable));
    world->track({.joint_reactions = true});
    const Vec3 axis = turn(0.4, Vec3::UnitZ()) * Vec3::UnitY();
    const double holds = -2.0 * kGravity * 0.2;  // holds the load in place
    for (int i = 0; i < 200; ++i) {
      world->add_joint_force(JointId{0}, std::array{holds});
      ASSERT_TRUE(world->step().ok());
    }
    const double tolerance = detachable ? 1e-2 : 1e-6;
    EXPECT_NEAR(world->joint_reaction(JointId{0}).torque.dot(axis), holds, tolerance);
    EXPECT_NEAR(world->joint_reaction(JointId{0}).force.z(), 2.0 * kGravity, tolerance);
  }
}

TEST_P(Conformance, ADetachedJointCarriesNothing) {
  LOCKSTEP_NEEDS(joint_reactions);
  LOCKSTEP_NEEDS(detachable_joints);
  const auto world = make_world(make_hanging(JointType::kFixed, true));
  world->track({.joint_reactions = true});
  run(*world, 0.5);
  EXPECT_NEAR(world->joint_reaction(JointId{0}).force.z(), 2.0 * kGravity, 1e-3);
  EXPECT_NEAR(world->joint_reaction(JointId{0}).torque.norm(), 2.0 * kGravity * 0.2, 1e-3);
  world->set_attached(JointId{0}, false);
  run(*world, 0.1);
  EXPECT_EQ(world->joint_reaction(JointId{0}).force, Vec3(Vec3::Zero()));
  EXPECT_EQ(world->joint_reaction(JointId{0}).torque, Vec3(Vec3::Zero()));
}

TEST_P(Conformance, SpringsAndRopesRelieveAJoint) {
  LOCKSTEP_NEEDS(joint_reactions);
  LOCKSTEP_NEEDS(springs_and_ropes);
  for (const bool rope : {false, true}) {
    SmallModel model = make_hanging(JointType::kHinge, false);
    const SiteId above = model.add_site(kWorldBody, {{0.5, 0.0, 2.0}, Quat::Identity()});
    const SiteId load = model.add_site(BodyId{2}, {{0.0, 0.0, 0.3}, Quat::Identity()});  // at the anchor
    model.model.springs.push_back(
        {.name = "spring", .a = above, .b = load, .length = 0.9, .stiffness = 100.0, .only_pulls = rope});
    const auto world = make_world(model);
    world->track({.joint_reactions = true});
    ASSERT_TRUE(world->step().ok());
    model.model.springs.clear();
    const auto alone = make_world(model);
    alone->track({.joint_reactions = true});
    ASSERT_TRUE(alone->step().ok());
    const Vec3 share = alone->joint_reaction(JointId{0}).force - world->joint_reaction(JointId{0}).force;
    EXPECT_LT((share - Vec3(0.0, 0.0, 100.0 * 0.1)).norm(), 1e-9) << rope;
  }
}

TEST_P(Conformance, TheJointOfAScaleCarriesItsLoad) {
  LOCKSTEP_NEEDS(joint_reactions);
  SmallModel model;
  const BodyId plate = model.add_body("plate", kWorldBody, {{1.0, 2.0, 0.5}, Quat::Identity()});
  model.add_joint(plate, JointType::kFixed);
  model.add_shape(plate, Box{{1.0, 1.0, 0.1}});
  model.add_box("box", {{1.2, 2.1, 0.65}, Quat::Identity()}, {0.2, 0.2, 0.2}, 3.0);
  const auto world = make_world(model);
  world->track({.joint_reactions = true});
  run(*world, 1.0);
  const JointReaction reaction = world->joint_reaction(JointId{0});
  EXPECT_LT((reaction.force - Vec3(0.0, 0.0, 3.0 * kGravity)).norm(), 1e-3);
  EXPECT_LT((reaction.torque - Vec3(0.2, 0.1, 0.15).cross(reaction.force)).norm(), 1e-3);
}

TEST_P(Conformance, ABounceOnAScaleTransmitsTheChangeOfMomentum) {
  LOCKSTEP_NEEDS(joint_reactions);
  LOCKSTEP_NEEDS(restitution);
  SmallModel model;
  const MaterialId rubber = model.add_material("rubber", {.friction = 0.5, .restitution = 0.8});
  const BodyId plate = model.add_body("plate", kWorldBody, {}, 1.0, Vec3::Constant(0.1));
  model.add_joint(plate, JointType::kSlide, Vec3::UnitX());
  model.add_shape(plate, Box{{1.0, 1.0, 0.1}}, rubber);
  const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.65}, 0.1, 0.5, rubber);
  const auto world = make_world(model);
  world->track({.joint_reactions = true});
  double impulse = 0.0;
  run(*world, 0.5, [&] { impulse += 1e-3 * world->joint_reaction(JointId{0}).force.z(); });
  // Over half a second: the weights, and the change of the ball's momentum since its release.
  EXPECT_NEAR(impulse, 0.5 * 1.5 * kGravity + 0.5 * world->body_velocity(ball).linear.z(), 1e-6);
}

TEST_P(Conformance, ALoopCarriesForcesOutsideTheTree) {
  LOCKSTEP_NEEDS(joint_reactions);
  LOCKSTEP_NEEDS(closed_loops);
  // Two posts hold a beam of 4 kg at its ends, 1 m apart, one by the tree and one by a loop.
  SmallModel model;
  const BodyId beam = model.add_body("beam", kWorldBody, {}, 4.0, Vec3::Constant(0.3), {0.5, 0.0, 0.0});
  model.add_joint(beam, JointType::kHinge, Vec3::UnitY());
  const SiteId end = model.add_site(beam, {{1.0, 0.0, 0.0}, Quat::Identity()});
  const SiteId post = model.add_site(kWorldBody, {{1.0, 0.0, 0.0}, Quat::Identity()});
  model.model.loops.push_back({"loop", LoopType::kPoint, end, post});
  const auto world = make_world(model);
  world->track({.joint_reactions = true});
  run(*world, 0.5);
  EXPECT_NEAR(world->joint_reaction(JointId{0}).force.z(), 2.0 * kGravity, 1e-3);
}

}  // namespace lockstep
