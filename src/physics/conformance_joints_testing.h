#pragma once

#include "physics/conformance_testing.h"

/// Joints, closed loops, springs and ropes.
namespace lockstep {

/// A wheel of inertia 0.1 kg m^2 on a hinge about y, without gravity.
inline SmallModel make_wheel() {
  SmallModel model;
  model.model.gravity.setZero();
  const BodyId wheel = model.add_body("wheel", kWorldBody, {}, 1.0, Vec3::Constant(0.1));
  model.add_joint(wheel, JointType::kHinge, Vec3::UnitY());
  return model;
}

TEST_P(Conformance, DampingSlowsAWheelExponentially) {
  SmallModel model = make_wheel();
  model.model.joints[0].damping = 0.2;
  model.model.joints[0].initial_velocity = {3.0};
  const auto world = make_world(model);
  run(*world, 1.0);
  EXPECT_NEAR(world->joint_velocity(JointId{0})[0], 3.0 * std::exp(-2.0), 1e-3);
}

TEST_P(Conformance, SetsAJointToAPositionAtRest) {
  const auto world = make_world(make_pendulum(0.0));
  run(*world, 0.1);
  world->set_joint_position(JointId{0}, 0.5);
  EXPECT_EQ(world->joint_position(JointId{0})[0], 0.5);
  EXPECT_EQ(world->joint_velocity(JointId{0})[0], 0.0);
  const Vec3 end = world->body_pose(BodyId{1}) * Vec3(0.0, 0.0, -1.0);
  EXPECT_NEAR((end - Vec3(-std::sin(0.5), 0.0, -std::cos(0.5))).norm(), 0.0, 1e-12);
  // It swings as if released there: at the bottom its speed follows from the height.
  EXPECT_NEAR(world->report({.energy = true}).energy.total(), -kGravity * std::cos(0.5), 1e-9);
}

TEST_P(Conformance, APositionThatWasSetIsPartOfTheState) {
  LOCKSTEP_NEEDS(exact_restore);
  const auto world = make_world(make_chain(4, true));
  run(*world, 0.05);
  world->set_joint_position(JointId{1}, 0.3);
  const std::vector<std::uint8_t> saved = save_bytes(*world);
  run(*world, 0.1);
  const std::vector<std::uint8_t> went_on = save_bytes(*world);
  const auto other = make_world(make_chain(4, true));
  restore_bytes(*other, saved);
  EXPECT_EQ(other->joint_position(JointId{1})[0], 0.3);
  EXPECT_EQ(save_bytes(*other), saved);
  run(*other, 0.1);
  EXPECT_EQ(save_bytes(*other), went_on);
}

TEST_P(Conformance, RequestingMoreKeepsWhatIsTracked) {
  const auto world = make_world(make_pendulum(0.5));
  world->track({.accelerations = true});
  run(*world, 0.01);
  const Vec3 before = world->body_acceleration(BodyId{1}).angular;
  world->track({.contact_forces = true, .accelerations = true});
  EXPECT_GT(before.norm(), 1.0);
  EXPECT_EQ(world->body_acceleration(BodyId{1}).angular, before);
}

TEST_P(Conformance, ArmatureAddsToTheInertiaOfTheJoint) {
  SmallModel model = make_wheel();
  model.model.joints[0].armature = 0.3;
  const auto world = make_world(model);
  for (int i = 0; i < 1000; ++i) {
    world->add_joint_force(JointId{0}, std::array{2.0});
    ASSERT_TRUE(world->step().ok());
  }
  EXPECT_NEAR(world->joint_velocity(JointId{0})[0], 2.0 / (0.1 + 0.3), 1e-9);
  EXPECT_EQ(world->joint_force(JointId{0})[0], 2.0);
  ASSERT_TRUE(world->step().ok());
  EXPECT_EQ(world->joint_force(JointId{0})[0], 0.0);
}

/// Two wheels of 0.1 and 0.4 kg m^2 side by side, of which the second turns -1.5 times as far as the first.
inline SmallModel make_geared_wheels() {
  SmallModel model = make_wheel();
  const BodyId other =
      model.add_body("other", kWorldBody, {{1.0, 0.0, 0.0}, Quat::Identity()}, 1.0, Vec3::Constant(0.4));
  model.add_joint(other, JointType::kHinge, Vec3::UnitY()).initial_position = {0.2};
  model.model.couplings.push_back({"gear", JointId{1}, JointId{0}, -1.5, 0.2});
  return model;
}

TEST_P(Conformance, ACoupledJointFollowsAndAddsItsReflectedInertia) {
  LOCKSTEP_NEEDS(couplings);
  const auto world = make_world(make_geared_wheels());
  for (int i = 0; i < 1000; ++i) {
    world->add_joint_force(JointId{0}, std::array{2.0});
    ASSERT_TRUE(world->step().ok());
  }
  // The other's inertia times the ratio squared adds to its own; the tolerance is the softness of the
  // constraint.
  const double speed = 2.0 / (0.1 + 1.5 * 1.5 * 0.4);
  EXPECT_NEAR(world->joint_velocity(JointId{0})[0], speed, 1e-3 * speed);
  EXPECT_NEAR(world->joint_velocity(JointId{1})[0], -1.5 * speed, 2e-3 * speed);
  EXPECT_NEAR(world->joint_position(JointId{1})[0], -1.5 * world->joint_position(JointId{0})[0] + 0.2, 1e-4);
  EXPECT_LT(world->report({.solver = true}).solver.largest_loop_error, 1e-4);
}

TEST_P(Conformance, SettingAJointAlsoSetsTheJointsCoupledToIt) {
  LOCKSTEP_NEEDS(couplings);
  const auto world = make_world(make_geared_wheels());
  world->set_joint_position(JointId{0}, 1.0);
  EXPECT_EQ(world->joint_position(JointId{1})[0], -1.5 + 0.2);
}

TEST_P(Conformance, ASoftLimitYieldsByItsTimeConstant) {
  const auto deepest = [&](std::optional<double> time_constant) {
    SmallModel model = make_wheel();
    JointModel& joint = model.model.joints[0];
    joint.lower = -1.0, joint.upper = 0.1;
    joint.initial_velocity = {1.0};
    joint.firmness.time_constant = time_constant;
    const auto world = make_world(model);
    double largest = 0.0;
    run(*world, 0.5, [&] { largest = std::max(largest, world->joint_position(JointId{0})[0]); });
    return largest - 0.1;
  };
  // A critically damped spring with a time constant of 0.1 s stops 1 rad/s within 0.1 s / e rad; one with two
  // steps within a hundredth of it.
  EXPECT_NEAR(deepest(0.1), 0.1 * std::exp(-1.0), 0.01);
  EXPECT_LT(deepest({}), 0.002);
}

TEST_P(Conformance, AJointSpringOscillatesAtItsFrequency) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  SmallModel model = make_wheel();
  model.model.engine.integrator = Integrator::kRk4;
  model.model.joints[0].stiffness = 40.0;
  model.model.joints[0].rest = 0.5;
  const auto world = make_world(model);
  EXPECT_NEAR(world->report({.energy = true}).energy.potential, 0.5 * 40.0 * 0.25, 1e-12);
  run(*world, kPi / std::sqrt(40.0 / 0.1));  // half a period; 157.08 steps
  EXPECT_NEAR(world->joint_position(JointId{0})[0], 1.0, 1e-4);
}

TEST_P(Conformance, DryFrictionHoldsBelowItsTorqueAndBrakesAbove) {
  LOCKSTEP_NEEDS(joint_friction);
  SmallModel model = make_wheel();
  model.model.joints[0].friction = 1.0;
  const auto world = make_world(model);
  const auto push = [&](double torque) {
    for (int i = 0; i < 1000; ++i) {
      world->add_joint_force(JointId{0}, std::array{torque});
      ASSERT_TRUE(world->step().ok());
    }
  };
  push(0.9);
  EXPECT_NEAR(world->joint_position(JointId{0})[0], 0.0, 1e-3);
  push(1.5);
  EXPECT_NEAR(world->joint_velocity(JointId{0})[0], 0.5 / 0.1, 0.05);
}

TEST_P(Conformance, AJointStopsAtItsLimits) {
  SmallModel model = make_pendulum(0.0);
  model.model.joints[0].lower = -0.2;
  model.model.joints[0].upper = 0.5;
  for (const double direction : {1.0, -1.0}) {
    const auto world = make_world(model);
    for (int i = 0; i < 2000; ++i) {
      world->add_joint_force(JointId{0}, std::array{direction * 20.0});
      ASSERT_TRUE(world->step().ok());
    }
    EXPECT_NEAR(world->joint_position(JointId{0})[0], direction > 0.0 ? 0.5 : -0.2, 1e-3);
  }
}

TEST_P(Conformance, ASlideMovesAlongItsAxisUnderGravity) {
  SmallModel model;
  const Vec3 axis = Vec3(1.0, 0.0, -1.0).normalized();
  const BodyId cart =
      model.add_body("cart", kWorldBody, {{0.0, 0.0, 2.0}, Quat::Identity()}, 3.0, Vec3::Constant(0.1));
  model.add_joint(cart, JointType::kSlide, axis).initial_position = {0.25};
  const auto world = make_world(model);
  run(*world, 1.0);
  const double moved = world->joint_position(JointId{0})[0];
  EXPECT_NEAR(moved, 0.25 + 0.5 * kGravity * std::sqrt(0.5), 0.01);
  EXPECT_LT((world->body_pose(cart).p - Vec3(0.0, 0.0, 2.0) - moved * axis).norm(), 1e-12);
}

TEST_P(Conformance, ABallJointLetsAPendulumCircleAsACone) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  const double angle = 0.5, rate = std::sqrt(kGravity / std::cos(angle));  // w^2 = g / (l cos)
  SmallModel model;
  model.model.engine.integrator = Integrator::kRk4;
  const BodyId rod = model.add_body("rod", kWorldBody, {}, 1.0, Vec3::Constant(1e-9), {0.0, 0.0, -1.0});
  JointModel& joint = model.add_joint(rod, JointType::kBall);
  const Quat tilt = turn(angle, Vec3::UnitY());
  joint.initial_position = {tilt.w(), tilt.x(), tilt.y(), tilt.z()};
  const Vec3 w = tilt.conjugate() * Vec3(0.0, 0.0, rate);
  joint.initial_velocity = {w.x(), w.y(), w.z()};
  const auto world = make_world(model);
  run(*world, 2.0,
      [&] { EXPECT_NEAR((world->body_pose(rod) * Vec3(0.0, 0.0, -1.0)).z(), -std::cos(angle), 1e-4); });
}

TEST_P(Conformance, AMassOnASpringOscillatesAtItsFrequencyAndIsDamped) {
  LOCKSTEP_NEEDS(springs_and_ropes);
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  SmallModel model;
  model.model.gravity.setZero();
  model.model.engine.integrator = Integrator::kRk4;
  const BodyId mass = model.add_ball("mass", {0.0, 0.0, -1.2}, 0.05, 2.0);
  const SiteId a = model.add_site(kWorldBody, {}), b = model.add_site(mass, {});
  model.model.springs.push_back({.name = "spring", .a = a, .b = b, .length = 1.0, .stiffness = 200.0});
  EXPECT_NEAR(make_world(model)->report({.energy = true}).energy.potential, 0.5 * 200.0 * 0.04, 1e-9);
  const auto world = make_world(model);
  run(*world, 0.314);  // half a period of 2 pi sqrt(2 / 200)
  EXPECT_NEAR(world->body_pose(mass).p.z(), -0.8, 1e-4);
  model.model.springs[0].damping = 4.0;
  const auto damped = make_world(model);
  run(*damped, 1.0);
  const double w = std::sqrt(100.0 - 1.0);  // x'' + 2 x' + 100 x = 0
  EXPECT_NEAR(damped->body_pose(mass).p.z(), -1.0 - 0.2 * std::exp(-1.0) * (std::cos(w) + std::sin(w) / w),
              1e-4);
}

TEST_P(Conformance, ARopePullsButNeverPushes) {
  LOCKSTEP_NEEDS(springs_and_ropes);
  SmallModel model;
  const BodyId mass = model.add_ball("mass", {0.0, 0.0, -0.5}, 0.05, 1.0);
  const SiteId a = model.add_site(kWorldBody, {}), b = model.add_site(mass, {});
  model.model.springs.push_back(
      {.name = "rope", .a = a, .b = b, .length = 1.0, .stiffness = 1e4, .damping = 50.0, .only_pulls = true});
  const auto world = make_world(model);
  run(*world, 0.3);  // still slack: it falls freely, with or without a damper
  EXPECT_NEAR(world->body_velocity(mass).linear.z(), -kGravity * 0.3, 1e-9);
  EXPECT_NEAR(world->report({.energy = true}).energy.potential, kGravity * world->body_pose(mass).p.z(), 1e-9);
  run(*world, 4.0);
  EXPECT_NEAR(world->body_pose(mass).p.z(), -1.0 - kGravity / 1e4, 1e-5);
}

TEST_P(Conformance, AFourBarLoopStaysClosedUnderLoad) {
  LOCKSTEP_NEEDS(closed_loops);
  for (const LoopType type : {LoopType::kPoint, LoopType::kHinge}) {
    const auto world = make_world(make_four_bar(type));
    EXPECT_LT(world->report({.solver = true}).solver.largest_loop_error,
              1e-12);  // closed at the start, where no joint is at zero
    double largest = 0.0;
    for (int i = 0; i < 3000; ++i) {
      world->add_joint_force(JointId{0}, std::array{30.0 * std::sin(0.01 * i)});
      ASSERT_TRUE(world->step().ok());
      const double gap = (site_pose(*world, SiteId{0}).p - site_pose(*world, SiteId{1}).p).norm();
      largest = std::max({largest, gap, world->report({.solver = true}).solver.largest_loop_error});
    }
    EXPECT_LT(largest, 1e-4);
    // A parallelogram: the coupler does not rotate.
    EXPECT_NEAR(world->body_pose(BodyId{2}).q.y(), 0.0, 1e-4);
  }
}

TEST_P(Conformance, AWeldedLoopHoldsAFrame) {
  LOCKSTEP_NEEDS(closed_loops);
  SmallModel model;
  const Pose start{{0.3, 0.2, 1.0}, turn(0.7, Vec3(1.0, 2.0, 3.0).normalized())};
  const BodyId box = model.add_box("box", start, {0.2, 0.2, 0.2}, 2.0);
  const Pose X_BS{{0.5, 0.0, 0.1}, turn(0.4, Vec3::UnitX())};
  const SiteId a = model.add_site(box, X_BS), b = model.add_site(kWorldBody, start * X_BS);
  model.model.loops.push_back({"weld", LoopType::kWeld, a, b});
  const auto world = make_world(model);
  EXPECT_LT(world->report({.solver = true}).solver.largest_loop_error, 1e-9);
  run(*world, 1.0);
  EXPECT_LT((world->body_pose(box).p - start.p).norm(), 1e-4);
  EXPECT_GT(std::abs(world->body_pose(box).q.dot(start.q)), 1.0 - 1e-8);
}

/// A static gripper that holds a box of 1 kg, 1 m above the ground.
inline SmallModel make_gripper(JointType type) {
  SmallModel model;
  model.add_ground();
  const BodyId gripper = model.add_body("gripper", kWorldBody, {{0.0, 0.0, 1.5}, Quat::Identity()});
  model.add_shape(gripper, Box{{0.2, 0.2, 0.2}});
  const BodyId part =
      model.add_body("part", gripper, {{0.0, 0.0, -0.5}, Quat::Identity()}, 1.0, Vec3::Constant(0.01));
  model.add_shape(part, Box{{0.2, 0.2, 0.2}});
  model.add_joint(part, type, Vec3::UnitY(), {0.0, 0.0, 0.5}).detachable = true;
  return model;
}

TEST_P(Conformance, ADetachedBodyFallsAndAnAttachedOneHolds) {
  LOCKSTEP_NEEDS(detachable_joints);
  const auto world = make_world(make_gripper(JointType::kFixed));
  run(*world, 0.5);
  EXPECT_TRUE(world->is_attached(JointId{0}));
  EXPECT_NEAR(world->body_pose(BodyId{2}).p.z(), 1.0, 1e-4);
  world->set_attached(JointId{0}, false);
  EXPECT_FALSE(world->is_attached(JointId{0}));
  const double v = world->body_velocity(BodyId{2}).linear.z();
  run(*world, 0.1);
  EXPECT_NEAR(world->body_velocity(BodyId{2}).linear.z() - v, -0.1 * kGravity, 1e-6);
  run(*world, 1.0);
  EXPECT_NEAR(world->body_pose(BodyId{2}).p.z(), 0.1, 1e-2);  // on the ground
}

TEST_P(Conformance, ABodyReattachedNearItsPlaceReturnsToIt) {
  LOCKSTEP_NEEDS(detachable_joints);
  const auto world = make_world(make_gripper(JointType::kFixed));
  world->set_attached(JointId{0}, false);
  run(*world, 0.02);
  world->set_attached(JointId{0}, true);
  run(*world, 1.0);
  EXPECT_NEAR(world->body_pose(BodyId{2}).p.z(), 1.0, 1e-4);
  EXPECT_LT(world->body_velocity(BodyId{2}).linear.norm(), 1e-3);
}

TEST_P(Conformance, ADetachableHingeSwingsAndIsDrivenLikeAnyOther) {
  LOCKSTEP_NEEDS(detachable_joints);
  SmallModel fixed = make_gripper(JointType::kHinge);
  fixed.model.joints[0].detachable = false;
  const auto reference = make_world(fixed);
  const auto world = make_world(make_gripper(JointType::kHinge));
  for (int i = 0; i < 1500; ++i) {
    for (World* each : {world.get(), reference.get()}) {
      each->add_joint_force(JointId{0}, std::array{i < 400 ? 2.0 : -1.0});
      ASSERT_TRUE(each->step().ok());
    }
    ASSERT_NEAR(world->joint_position(JointId{0})[0], reference->joint_position(JointId{0})[0], 5e-3) << i;
  }
  EXPECT_NEAR(world->joint_velocity(JointId{0})[0], reference->joint_velocity(JointId{0})[0], 2e-2);
  EXPECT_EQ(world->joint_force(JointId{0})[0], -1.0);
}

TEST_P(Conformance, ADetachableBallJointKeepsItsCentre) {
  LOCKSTEP_NEEDS(detachable_joints);
  const auto world = make_world(make_gripper(JointType::kBall));
  for (int i = 0; i < 1000; ++i) {
    world->add_joint_force(JointId{0}, std::array{0.5, 0.3, 0.1});
    ASSERT_TRUE(world->step().ok());
  }
  EXPECT_LT((world->body_pose(BodyId{2}) * Vec3(0.0, 0.0, 0.5) - Vec3(0.0, 0.0, 1.5)).norm(), 1e-4);
  const auto q = world->joint_position(JointId{0});
  EXPECT_GT(std::abs(world->body_pose(BodyId{2}).q.dot(Quat(q[0], q[1], q[2], q[3]))), 1.0 - 1e-9);
}

TEST_P(Conformance, ADetachedBodyCollidesWithItsParentOnceTheyHaveSeparated) {
  LOCKSTEP_NEEDS(detachable_joints);
  SmallModel
      model;  // a tray with an overlapping box; detached, the box is pushed up and falls back on the tray
  const BodyId tray = model.add_body("tray", kWorldBody, {{0.0, 0.0, 1.0}, Quat::Identity()});
  model.add_shape(tray, Box{{1.0, 1.0, 0.1}});
  const BodyId part =
      model.add_body("part", tray, {{0.0, 0.0, 0.14}, Quat::Identity()}, 1.0, Vec3::Constant(0.01));
  model.add_shape(part, Box{{0.2, 0.2, 0.2}});
  model.add_joint(part, JointType::kFixed).detachable = true;
  const auto world = make_world(model);
  run(*world, 0.1);
  EXPECT_NEAR(world->body_pose(part).p.z(), 1.14, 1e-4);  // the overlap has no effect while attached
  world->set_attached(JointId{0}, false);
  for (int i = 0; i < 200; ++i) {
    world->add_body_force(part, world->body_pose(part).p, {.force = {0.0, 0.0, 20.0}});
    ASSERT_TRUE(world->step().ok());
  }
  run(*world, 2.0);
  EXPECT_NEAR(world->body_pose(part).p.z(), 1.15, 1e-3);
}

TEST_P(Conformance, DampingOfAnyStrengthTakesEnergyAwayByEveryIntegrator) {
  constexpr double kRounding = 5e-6;  // J, of 0.05 J at the start: in the step in which it all but stops
  // 0.1 kg at 5 cm: from h d / I = 4 on, explicit stages of fourth order would gain energy.
  for (const Integrator integrator : capabilities().integrators) {
    for (const double damping : {0.1, 1.0, 100.0}) {
      SmallModel model;
      model.model.engine.integrator = integrator;
      const BodyId rod = model.add_body("rod", kWorldBody, {}, 0.1, Vec3::Constant(1e-9), {0.0, 0.0, -0.05});
      JointModel& joint = model.add_joint(rod, JointType::kHinge, Vec3::UnitY());
      joint.initial_position = {1.0};
      joint.initial_velocity = {20.0};
      joint.damping = damping;
      const auto world = make_world(model);
      double energy = world->report({.energy = true}).energy.total();
      run(*world, 0.5, [&] {
        const double now = world->report({.energy = true}).energy.total();
        EXPECT_LE(now, energy + kRounding) << damping;
        energy = now;
      });
      // It creeps: d q' = - m g l sin q.
      const double speed = 0.1 * kGravity * 0.05 * std::sin(world->joint_position(JointId{0})[0]) / damping;
      EXPECT_NEAR(world->joint_velocity(JointId{0})[0], -speed, 0.02 * speed) << damping;
    }
  }
}

TEST_P(Conformance, StiffDampingInAChainIsStableByEveryIntegrator) {
  for (const Integrator integrator : capabilities().integrators) {
    SmallModel model = make_chain(8, true);
    model.model.engine.integrator = integrator;
    for (ShapeModel& shape : model.model.shapes) shape.collide = false;
    for (std::size_t i = 0; i < model.model.joints.size(); i += 2) model.model.joints[i].damping = 5.0;
    const auto world = make_world(model);
    const double energy = world->report({.energy = true}).energy.total();
    run(*world, 2.0, [&] { EXPECT_LT(world->report({.energy = true}).energy.total(), energy + 1e-6); });
  }
}

TEST_P(Conformance, ABodySinksSlowlyOnALegWithStiffDampingByEveryIntegrator) {
  for (const Integrator integrator : capabilities().integrators) {
    SmallModel model;
    model.model.engine.integrator = integrator;
    model.add_ground();
    // 10 kg on a foot of 10 g, which slides along the leg: h d / m of the foot is 100.
    const double mass = 10.0, damping = 1000.0, radius = 0.05, height = 0.5;
    const BodyId body =
        model.add_body("body", kWorldBody, {{0.0, 0.0, height}, Quat::Identity()}, mass, Vec3::Ones());
    model.add_joint(body, JointType::kSlide);
    const BodyId foot = model.add_body("foot", body, {{0.0, 0.0, radius - height}, Quat::Identity()}, 0.01,
                                       Vec3::Constant(1e-5));
    model.add_joint(foot, JointType::kSlide).damping = damping;
    model.add_shape(foot, Sphere{radius});
    const auto world = make_world(model);
    const double time = 1.0, tau = mass / damping;
    run(*world, time);
    const double sunk = kGravity * tau * (time - tau * (1.0 - std::exp(-time / tau)));
    EXPECT_NEAR(world->body_pose(body).p.z(), height - sunk, 0.01 * sunk) << static_cast<int>(integrator);
    EXPECT_NEAR(world->body_pose(foot).p.z(), radius, 1e-3) << static_cast<int>(integrator);
    const Work work = world->report({.work = true}).work;
    EXPECT_LT(work.contacts, 1e-3);
    EXPECT_NEAR(work.damping, -mass * kGravity * sunk, 0.03 * mass * kGravity * sunk);
  }
}

TEST_P(Conformance, OrdinaryDampingIsOfFourthOrderByRungeKutta) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  const auto error = [&](std::chrono::nanoseconds step) {
    SmallModel model(step);
    model.model.gravity.setZero();
    model.model.engine.integrator = Integrator::kRk4;
    const BodyId wheel = model.add_body("wheel", kWorldBody, {}, 1.0, Vec3::Constant(0.02));
    JointModel& joint = model.add_joint(wheel, JointType::kHinge);
    joint.initial_velocity = {3.0};
    joint.damping = 0.4;
    const auto world = make_world(model);
    run(*world, 0.16);
    return std::abs(world->joint_velocity(JointId{0})[0] - 3.0 * std::exp(-0.4 / 0.02 * 0.16));
  };
  EXPECT_GT(std::log2(error(std::chrono::milliseconds(16)) / error(std::chrono::milliseconds(8))), 3.7);
}

TEST_P(Conformance, ImplicitTakesStiffDampingOfSpringsAndRopes) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kImplicit);
  LOCKSTEP_NEEDS(springs_and_ropes);
  for (const bool rope : {false, true}) {
    SmallModel model;
    model.model.engine.integrator = Integrator::kImplicit;
    const BodyId ball = model.add_ball("ball", {0.0, 0.0, -0.5}, 0.01, 0.01);  // h d / m = 10
    const SiteId above = model.add_site(kWorldBody, {}), hook = model.add_site(ball, {});
    model.model.springs.push_back({.name = "spring",
                                   .a = above,
                                   .b = hook,
                                   .length = 0.5,
                                   .stiffness = 10.0,
                                   .damping = 100.0,
                                   .only_pulls = rope});
    const auto world = make_world(model);
    run(*world, 1.0);
    // It creeps: d x' = m g - k x.
    const double expected = 0.01 * kGravity / 10.0 * (1.0 - std::exp(-10.0 / 100.0));
    EXPECT_NEAR(-0.5 - world->body_pose(ball).p.z(), expected, 0.02 * expected) << rope;
  }
}

}  // namespace lockstep
