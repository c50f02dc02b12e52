#include "physics/mujoco/tree_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "model/kinematics.h"
#include "physics/conformance_testing.h"
#include "physics/initial_state.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/options.h"

/// Long floating trees, whose root in MuJoCo is another body than in the model.
namespace lockstep {
namespace {

/// Links in a row behind a free head, with axes and offsets in all directions. Every tenth joint is fixed, one
/// is a slide, and a branch of three links starts at link 20.
SmallModel make_long_chain(int links) {
  SmallModel model;
  const auto add_link = [&](const std::string& name, BodyId parent, int i) {
    const double x = 0.7 * i;
    const Pose X_PB{
        {-0.1, 0.01 * std::sin(x), 0.01 * std::cos(x)},
        Quat(Eigen::AngleAxisd(0.1 * std::sin(2.0 * x), Vec3(std::cos(x), std::sin(x), 0.3).normalized()))};
    const BodyId body =
        model.add_body(name, parent, X_PB, 0.1 + 0.05 * std::sin(x), {2e-4, 3e-4, 4e-4}, {-0.04, 0.0, 0.01});
    const JointType type = i % 10 == 3 ? JointType::kFixed : i == 14 ? JointType::kSlide : JointType::kHinge;
    JointModel& joint =
        model.add_joint(body, type, Vec3(0.2, std::sin(x), std::cos(x)).normalized(), {0.01, 0.0, 0.02});
    if (type == JointType::kFixed) return body;
    joint.initial_position[0] = 0.05 * std::cos(3.0 * x);
    joint.initial_velocity[0] = type == JointType::kSlide ? 0.02 : 0.1 * std::sin(5.0 * x);
    joint.damping = 0.01;
    joint.armature = 1e-3;
    joint.stiffness = 1.0;
    return body;
  };
  BodyId last =
      model.add_body("head", kWorldBody, {{0.0, 0.0, 2.0}, Quat::Identity()}, 0.2, {3e-4, 3e-4, 3e-4});
  model.add_joint(last, JointType::kFree).initial_velocity = {0.3, -0.2, 0.1, 0.2, 0.1, -0.3};
  BodyId branch = kWorldBody;
  for (int i = 1; i <= links; ++i) {
    last = add_link(fmt::format("link{}", i), last, i);
    if (i == 20) branch = last;
  }
  for (int i = 1; i <= 3; ++i) branch = add_link(fmt::format("branch{}", i), branch, i);
  return model;
}

constexpr int kLinks = 80;

/// The same with the root at the head: a base that has damping, of no significant amount, stays where it is.
SmallModel with_its_own_root(SmallModel model) {
  model.model.joints[0].damping = 1e-200;
  return model;
}

TreeLayout layout_of(const SmallModel& model) {
  Diagnostics diagnostics;
  TreeLayout layout = make_tree_layout(model.model, read_model_options(model.model, diagnostics));
  EXPECT_EQ(diagnostics.error_count(), 0u);
  return layout;
}

TEST(TreeLayout, ALongChainHasItsRootInTheMiddle) {
  const TreeLayout layout = layout_of(make_long_chain(kLinks));
  ASSERT_EQ(layout.moved_roots.size(), 1u);
  EXPECT_NEAR(static_cast<double>(index(layout.moved_roots[0].root)), 0.5 * kLinks, 2.0);
  EXPECT_EQ(layout.moved_roots[0].base, JointId{0});
  EXPECT_TRUE(layout.nodes[1].is_reversed);
  EXPECT_EQ(layout.nodes[1].parent, BodyId{2});
}

TEST(TreeLayout, OtherTreesStayAsTheyAre) {
  EXPECT_TRUE(layout_of(make_long_chain(40)).moved_roots.empty());
  EXPECT_TRUE(layout_of(with_its_own_root(make_long_chain(kLinks))).moved_roots.empty());
  SmallModel with_ball = make_long_chain(kLinks);
  with_ball.model.joints[5].type = JointType::kBall;  // a position that the other side would not have
  EXPECT_TRUE(layout_of(with_ball).moved_roots.empty());
  SmallModel fixed = make_long_chain(kLinks);
  fixed.model.joints[0].type = JointType::kFixed;
  EXPECT_TRUE(layout_of(fixed).moved_roots.empty());
  SmallModel like_mujoco = make_long_chain(kLinks);
  like_mujoco.model.engine.own = write_own(MujocoOptions{.level_sliding = false, .steady_spin = false});
  EXPECT_TRUE(layout_of(like_mujoco).moved_roots.empty());
}

void push(World& world, int step) {
  const double t = 1e-3 * step;
  world.add_joint_force(JointId{30}, std::array{0.05 * std::cos(8.0 * t)});
  world.add_body_force(BodyId{12}, {0.1, 0.2, 1.8}, {{0.0, 1.0, 0.5}, {0.0, 0.0, 0.02}});
}

TEST(TreeLayout, AnotherRootGivesTheSameMotion) {
  SmallModel model = make_long_chain(kLinks);
  model.model.engine.integrator = Integrator::kRk4;
  const auto world = MujocoEngine().make_world(model.share());
  const auto reference = MujocoEngine().make_world(with_its_own_root(model).share());
  world->track({.joint_reactions = true});
  reference->track({.joint_reactions = true});
  for (int step = 0; step < 200; ++step) {
    for (World* each : {world.get(), reference.get()}) {
      push(*each, step);
      ASSERT_TRUE(each->step().ok());
    }
  }
  constexpr double kIntegration = 1e-7;  // m, rad, m/s and rad/s; the error of Runge-Kutta after 0.2 s
  constexpr double kReaction = 1e-5;     // N and N m
  const auto expect_near = [](std::span<const double> a, std::span<const double> b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance);
  };
  for (std::size_t i = 0; i < model.model.bodies.size(); ++i) {
    const BodyId body{static_cast<int>(i)};
    EXPECT_LT((world->body_pose(body).p - reference->body_pose(body).p).norm(), kIntegration) << i;
    EXPECT_LT(world->body_pose(body).q.angularDistance(reference->body_pose(body).q), kIntegration) << i;
    EXPECT_LT((world->body_velocity(body).linear - reference->body_velocity(body).linear).norm(), kIntegration);
  }
  for (std::size_t i = 0; i < model.model.joints.size(); ++i) {
    const JointId joint{static_cast<int>(i)};
    expect_near(world->joint_position(joint), reference->joint_position(joint), kIntegration);
    expect_near(world->joint_velocity(joint), reference->joint_velocity(joint), kIntegration);
    EXPECT_LT((world->joint_reaction(joint).force - reference->joint_reaction(joint).force).norm(), kReaction)
        << i;
    EXPECT_LT((world->joint_reaction(joint).torque - reference->joint_reaction(joint).torque).norm(),
              kReaction);
  }
}

TEST(TreeLayout, AForceOnTheBaseActsOnItsBody) {
  SmallModel model = make_long_chain(kLinks);
  model.model.step = std::chrono::microseconds(1);  // so short that nothing moves
  for (JointModel& joint : model.model.joints)
    std::fill(joint.initial_velocity.begin(), joint.initial_velocity.end(), 0.0);
  const auto world = MujocoEngine().make_world(model.share());
  const auto reference = MujocoEngine().make_world(with_its_own_root(model).share());
  const std::array force = {0.4, 0.1, 2.0, 0.2, -0.1, 0.3};
  for (World* each : {world.get(), reference.get()}) {
    each->add_joint_force(JointId{0}, force);
    ASSERT_TRUE(each->step().ok());
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_DOUBLE_EQ(world->joint_force(JointId{0})[i], force[i]);
    const double expected = reference->joint_velocity(JointId{0})[i];
    EXPECT_NEAR(world->joint_velocity(JointId{0})[i], expected, 1e-4 * std::abs(expected));
  }
  const Momentum momentum = world->report({.momentum = true}).momentum;
  double mass = 0.0;
  for (const BodyModel& body : model.model.bodies) mass += body.mass.mass;
  const Vec3 impulse = 1e-6 * (Vec3(0.4, 0.1, 2.0) + mass * model.model.gravity);
  EXPECT_LT((momentum.linear - impulse).norm(), 1e-6 * impulse.norm());
}

TEST(TreeLayout, StartsAtTheInitialPosesAndVelocities) {
  const SmallModel model = make_long_chain(kLinks);
  const auto world = MujocoEngine().make_world(model.share());
  const std::vector<Pose> poses = calc_initial_poses(model.model);
  const std::vector<Twist> velocities = calc_initial_velocities(model.model, poses);
  constexpr double kRounding = 1e-12;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const BodyId body{static_cast<int>(i)};
    EXPECT_LT((world->body_pose(body).p - poses[i].p).norm(), kRounding);
    EXPECT_LT((world->body_velocity(body).linear - velocities[i].linear).norm(), kRounding);
    EXPECT_LT((world->body_velocity(body).angular - velocities[i].angular).norm(), kRounding);
  }
  const JointModel& base = model.model.joints[0];
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(world->joint_velocity(JointId{0})[i], base.initial_velocity[i], kRounding);
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NEAR(world->joint_position(JointId{0})[i], base.initial_position[i], kRounding);
}

TEST(TreeLayout, AFreeTreeKeepsItsMomentum) {
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kRk4, Integrator::kImplicit}) {
    SmallModel model = make_long_chain(kLinks);
    model.model.gravity.setZero();
    model.model.engine.integrator = integrator;
    const auto world = MujocoEngine().make_world(model.share());
    const Momentum start = world->report({.momentum = true}).momentum;
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(world->step().ok());
    const Momentum end = world->report({.momentum = true}).momentum;
    EXPECT_LT((end.linear - start.linear).norm(), 2e-3 * start.linear.norm());
    EXPECT_LT((end.angular - start.angular).norm(), 2e-3 * start.angular.norm());
  }
}

TEST(TreeLayout, SettingAJointMovesTheBodiesBehindItAndNotTheBase) {
  SmallModel model = make_long_chain(kLinks);
  const auto world = MujocoEngine().make_world(model.share());
  const Twist head_velocity = world->body_velocity(BodyId{1});
  const JointId joint{8};
  world->set_joint_position(joint, 0.4);
  model.model.joints[index(joint)].initial_position[0] = 0.4;
  model.model.joints[index(joint)].initial_velocity[0] = 0.0;
  const std::vector<Pose> poses = calc_initial_poses(model.model);
  const std::vector<Twist> velocities = calc_initial_velocities(model.model, poses);
  constexpr double kRounding = 1e-12;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const BodyId body{static_cast<int>(i)};
    EXPECT_LT((world->body_pose(body).p - poses[i].p).norm(), kRounding);
    EXPECT_LT((world->body_velocity(body).linear - velocities[i].linear).norm(), kRounding);
  }
  EXPECT_LT((world->body_velocity(BodyId{1}).angular - head_velocity.angular).norm(), kRounding);
}

TEST(TreeLayout, ContinuesFromASavedStateWithTheSameBits) {
  const auto shared = make_long_chain(kLinks).share();
  const auto save = [](const World& world) {
    StateWriter writer;
    world.save(writer);
    return std::vector<std::uint8_t>(writer.bytes().begin(), writer.bytes().end());
  };
  const auto world = MujocoEngine().make_world(shared);
  const auto run = [](World& each, int from, int to) {
    for (int step = from; step < to; ++step) {
      push(each, step);
      each.add_joint_force(JointId{0}, std::array{0.4, 0.1, 2.0, 0.02, -0.01, 0.03});
      ASSERT_TRUE(each.step().ok());
    }
  };
  run(*world, 0, 20);
  const std::vector<std::uint8_t> middle = save(*world);
  run(*world, 20, 40);
  const auto other = MujocoEngine().make_world(shared);
  StateReader reader(middle);
  other->restore(reader);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NE(other->joint_velocity(JointId{0})[i], shared->joints[0].initial_velocity[i]);
  run(*other, 20, 40);
  EXPECT_EQ(save(*other), save(*world));
}

}  // namespace
}  // namespace lockstep
