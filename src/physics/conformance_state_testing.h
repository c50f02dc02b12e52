#pragma once

#include <limits>
#include <thread>

#include "lockstep/state.h"
#include "physics/allocation_counter_testing.h"
#include "physics/conformance_testing.h"

/// Saving and restoring, failures, and determinism.
namespace lockstep {

/// A chain on the ground with everything that has a state: limits, dry friction, a rope, a bouncing ball, and a
/// detachable joint.
inline SmallModel make_everything(Integrator integrator) {
  SmallModel model = make_chain(6, false);
  model.model.engine.integrator = integrator;
  const MaterialId rubber =
      model.add_material("rubber", {.friction = 0.7, .rolling_friction = 1e-3, .restitution = 0.6});
  const MaterialId foam = model.add_material("foam", {.friction = 0.5, .stiffness = 5e3});
  model.add_ground(rubber);
  for (JointModel& joint : model.model.joints) {
    if (joint.type == JointType::kFree) continue;
    joint.lower = -0.6, joint.upper = 0.6, joint.friction = 0.01, joint.damping = 0.02;
  }
  const BodyId ball = model.add_ball("ball", {0.3, 0.1, 0.8}, 0.08, 0.3, foam);
  const SiteId a = model.add_site(kWorldBody, {{0.3, 0.0, 1.5}, Quat::Identity()}),
               b = model.add_site(ball, {});
  model.model.springs.push_back(
      {.name = "rope", .a = a, .b = b, .length = 0.9, .stiffness = 800.0, .damping = 2.0, .only_pulls = true});
  const BodyId part =
      model.add_body("part", BodyId{6}, {{0.1, 0.0, 0.0}, Quat::Identity()}, 0.1, Vec3::Constant(1e-4));
  model.add_shape(part, Sphere{0.04}, rubber);
  model.add_joint(part, JointType::kHinge, Vec3::UnitY(), {-0.05, 0.0, 0.0}).detachable = true;
  return model;
}

#define LOCKSTEP_NEEDS_EVERYTHING()  \
  LOCKSTEP_NEEDS(springs_and_ropes); \
  LOCKSTEP_NEEDS(restitution);       \
  LOCKSTEP_NEEDS(rolling_friction);  \
  LOCKSTEP_NEEDS(joint_friction);    \
  LOCKSTEP_NEEDS(detachable_joints)

/// Forces and switches that depend on the step alone, then the step itself.
inline Status drive(World& world) {
  const std::int64_t step = world.step_count();
  const auto last = JointId{static_cast<int>(world.model().joints.size()) - 1};
  if (step == 150) world.set_attached(last, false);
  if (step == 320) world.set_attached(last, true);
  for (int i = 1; i < 6; ++i)
    world.add_joint_force(JointId{i}, std::array{0.3 * std::sin(0.02 * static_cast<double>(step) + i)});
  if (step % 50 < 5) world.add_body_force(BodyId{3}, world.body_pose(BodyId{3}).p, {.force = {0.0, 1.0, 3.0}});
  return world.step();
}

/// All that an observer can see.
inline std::vector<double> look(const World& world) {
  std::vector<double> seen;
  const auto add = [&](std::span<const double> values) {
    seen.insert(seen.end(), values.begin(), values.end());
  };
  const auto add_vector = [&](const Vec3& v) { add({v.data(), 3}); };
  for (int i = 0; i < static_cast<int>(world.model().bodies.size()); ++i) {
    const BodyId body{i};
    add_vector(world.body_pose(body).p);
    add({world.body_pose(body).q.coeffs().data(), 4});
    add_vector(world.body_velocity(body).linear);
    add_vector(world.body_velocity(body).angular);
    add_vector(world.body_acceleration(body).linear);
    add_vector(world.body_acceleration(body).angular);
  }
  for (int i = 0; i < static_cast<int>(world.model().joints.size()); ++i) {
    add(world.joint_position(JointId{i}));
    add(world.joint_velocity(JointId{i}));
    add(world.joint_force(JointId{i}));
    add_vector(world.joint_reaction(JointId{i}).force);
    add_vector(world.joint_reaction(JointId{i}).torque);
    seen.push_back(world.is_attached(JointId{i}) ? 1.0 : 0.0);
  }
  for (const ContactPoint& contact : world.contacts()) {
    for (const Vec3& v : {contact.position, contact.normal, contact.force, contact.torque}) add_vector(v);
    seen.push_back(contact.depth);
  }
  const Energy energy = world.report({.energy = true}).energy;
  const SolverStatistics statistics = world.report({.solver = true}).solver;
  add(std::array{energy.kinetic, energy.potential, statistics.largest_penetration,
                 statistics.largest_loop_error, static_cast<double>(statistics.iterations),
                 static_cast<double>(statistics.contacts)});
  add_vector(world.report({.momentum = true}).momentum.linear);
  add_vector(world.report({.momentum = true}).momentum.angular);
  return seen;
}

TEST_P(Conformance, ARestoredWorldIsTheSameAndContinuesBitForBit) {
  LOCKSTEP_NEEDS(exact_restore);
  LOCKSTEP_NEEDS(joint_reactions);
  LOCKSTEP_NEEDS_EVERYTHING();
  for (const Integrator integrator : capabilities().integrators) {
    const auto model = make_everything(integrator).share();
    const auto world = GetParam().engine->make_world(model);
    world->track({.joint_reactions = true});
    Random random(7, "steps");
    std::vector<std::pair<std::vector<std::uint8_t>, std::vector<double>>> snapshots = {
        {save_bytes(*world), look(*world)}};
    while (world->step_count() < 500) {
      ASSERT_TRUE(drive(*world).ok());
      if (random.uniform() < 0.05) snapshots.emplace_back(save_bytes(*world), look(*world));
    }
    const auto end = save_bytes(*world);
    for (const auto& [bytes, seen] : snapshots) {
      const auto other = GetParam().engine->make_world(model);
      other->track({.joint_reactions = true});
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(drive(*other).ok());  // restoring discards this
      restore_bytes(*other, bytes);
      EXPECT_EQ(look(*other), seen);
      EXPECT_EQ(save_bytes(*other), bytes);
      while (other->step_count() < 500) ASSERT_TRUE(drive(*other).ok());
      EXPECT_EQ(save_bytes(*other), end);
    }
  }
}

TEST_P(Conformance, ForcesAppliedBeforeSavingActAfterRestoring) {
  LOCKSTEP_NEEDS(exact_restore);
  LOCKSTEP_NEEDS_EVERYTHING();
  const SmallModel model = make_everything(Integrator::kEuler);
  const auto world = make_world(model), other = make_world(model);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(drive(*world).ok());
  world->add_joint_force(JointId{1}, std::array{0.2});
  world->add_body_force(BodyId{2}, Vec3::Zero(), {.force = {1.0, 2.0, 3.0}});
  world->set_attached(JointId{7}, false);
  restore_bytes(*other, save_bytes(*world));
  ASSERT_TRUE(world->step().ok());
  ASSERT_TRUE(other->step().ok());
  EXPECT_EQ(look(*other), look(*world));
  EXPECT_EQ(save_bytes(*other), save_bytes(*world));
}

TEST_P(Conformance, ReadingAndTrackingChangeNothing) {
  LOCKSTEP_NEEDS_EVERYTHING();
  const SmallModel model = make_everything(Integrator::kEuler);
  const auto watched = make_world(model), alone = make_world(model);
  watched->track({.joint_reactions = true});
  for (int i = 0; i < 300; ++i) {
    look(*watched);
    watched->cast_ray({0.0, 0.0, 5.0}, -Vec3::UnitZ(), 10.0, {});
    ASSERT_TRUE(drive(*watched).ok());
    ASSERT_TRUE(drive(*alone).ok());
  }
  EXPECT_EQ(save_bytes(*watched), save_bytes(*alone));
}

TEST_P(Conformance, RejectsBytesOfAnotherModelAndDamagedBytes) {
  LOCKSTEP_NEEDS(exact_restore);
  LOCKSTEP_NEEDS_EVERYTHING();
  const auto world = make_world(make_everything(Integrator::kEuler));
  const auto other = make_world(make_pendulum(1.0));
  ASSERT_TRUE(world->step().ok());
  auto bytes = save_bytes(*world);
  EXPECT_THROW(restore_bytes(*other, bytes), StateError);
  for (const std::size_t length : {0u, 3u, 40u, 400u}) {
    const std::vector<std::uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(restore_bytes(*world, cut), StateError);
  }
  EXPECT_TRUE(world->step().ok());
}

class ConformanceThreads : public Conformance {};

TEST_P(ConformanceThreads, WorldsInTwoThreadsGiveTheSameBits) {
  LOCKSTEP_NEEDS_EVERYTHING();
  const auto model = make_everything(Integrator::kEuler).share();
  std::array<std::vector<std::uint8_t>, 2> ends;
  const auto simulate = [&](std::size_t i) {
    const auto world = GetParam().engine->make_world(model);
    for (int step = 0; step < 300; ++step) EXPECT_TRUE(drive(*world).ok());
    ends[i] = save_bytes(*world);
  };
  std::thread other(simulate, 1);
  simulate(0);
  other.join();
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_P(Conformance, ADivergedStepKeepsTheLastValidInstantAndNamesTheBody) {
  LOCKSTEP_NEEDS_EVERYTHING();
  for (const Integrator integrator : capabilities().integrators) {
    SmallModel model = make_everything(integrator);
    const auto world = make_world(model);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(drive(*world).ok());
    const auto before = save_bytes(*world);
    const auto seen = look(*world);
    world->add_body_force(BodyId{7}, Vec3::Zero(), {.force = {1e12, 0.0, 0.0}});
    const Status status = world->step();
    EXPECT_EQ(status.outcome, Outcome::kDiverged);
    EXPECT_EQ(status.subject, "ball");
    EXPECT_EQ(status.step, 20);
    EXPECT_EQ(world->step_count(), 20);
    EXPECT_EQ(save_bytes(*world), before);
    EXPECT_EQ(look(*world).front(), seen.front());
    EXPECT_TRUE(drive(*world).ok());  // and continues without the force
  }
}

TEST_P(Conformance, ReportsANonFiniteForceWithItsJointOrBody) {
  LOCKSTEP_NEEDS_EVERYTHING();
  const auto world = make_world(make_everything(Integrator::kEuler));
  ASSERT_TRUE(drive(*world).ok());
  const auto before = save_bytes(*world);
  world->add_joint_force(JointId{2}, std::array{std::numeric_limits<double>::quiet_NaN()});
  Status status = world->step();
  EXPECT_EQ(status.outcome, Outcome::kInvalidInput);
  EXPECT_EQ(status.subject, "link2/joint");
  world->add_body_force(BodyId{7}, Vec3::Zero(),
                        {.torque = {0.0, std::numeric_limits<double>::infinity(), 0.0}});
  status = world->step();
  EXPECT_EQ(status.outcome, Outcome::kInvalidInput);
  EXPECT_EQ(status.subject, "ball");
  EXPECT_EQ(save_bytes(*world), before);
  EXPECT_TRUE(world->step().ok());
}

TEST_P(Conformance, AStepAllocatesNoMemory) {
  LOCKSTEP_NEEDS_EVERYTHING();
  for (const Integrator integrator : capabilities().integrators) {
    const auto world = make_world(make_everything(integrator));
    world->track({.joint_reactions = true});
    ASSERT_TRUE(drive(*world).ok());
    const std::int64_t before = allocation_count;
    bool ok = true;
    for (int i = 0; i < 300; ++i) ok &= drive(*world).ok();
    EXPECT_EQ(allocation_count - before, 0);
    EXPECT_TRUE(ok);
  }
}

}  // namespace lockstep
