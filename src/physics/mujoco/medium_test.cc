#include "physics/medium.h"

#include <gtest/gtest.h>

#include "physics/conformance_testing.h"
#include "physics/mujoco/mujoco_engine.h"

namespace lockstep {
namespace {

constexpr double kPi = std::numbers::pi;

/// Simulates a model with its air and water.
std::unique_ptr<World> simulate(const SmallModel& model, double seconds,
                                const std::function<void(const World&)>& look = {}) {
  auto world = MujocoEngine().make_world(model.share());
  MediumForces medium(world->model());
  const auto steps = std::llround(seconds / to_seconds(model.model.step));
  for (std::int64_t i = 0; i < steps; ++i) {
    medium.advance({.step = i}, model.model.step, Row({}), *world);
    EXPECT_TRUE(world->step().ok());
    if (look) look(*world);
  }
  return world;
}

TEST(Medium, ABallReachesTheTerminalSpeedOfItsDragInAir) {
  SmallModel model;
  model.model.medium.air_density = 1.2;
  const double radius = 0.1, mass = 0.05, drag = 0.47;
  const BodyId ball = model.add_ball("ball", Vec3::Zero(), radius, mass);
  model.model.shapes[0].drag = drag;
  const double weight = (mass - 1.2 * 4.0 / 3.0 * kPi * std::pow(radius, 3)) * 9.81;
  const double terminal = std::sqrt(2.0 * weight / (1.2 * drag * kPi * radius * radius));
  const auto world = simulate(model, 10.0);
  EXPECT_NEAR(world->body_velocity(ball).linear.z(), -terminal, 1e-3 * terminal);
}

TEST(Medium, ABallSinksInSyrupAtTheStokesSpeed) {
  SmallModel model;
  model.model.medium.water_level = 100.0;
  model.model.medium.water_density = 1300.0;
  model.model.medium.water_viscosity = 10.0;
  const double radius = 0.01, mass = 0.03, volume = 4.0 / 3.0 * kPi * std::pow(radius, 3);
  const BodyId ball = model.add_ball("ball", Vec3::Zero(), radius, mass);
  model.model.shapes[0].drag = 0.0;
  model.model.joints[0].initial_velocity[4] = 10.0;
  const auto world = simulate(model, 2.0);
  const double terminal = (mass - 1300.0 * volume) * 9.81 / (6.0 * kPi * 10.0 * radius);
  EXPECT_NEAR(world->body_velocity(ball).linear.z(), -terminal, 1e-3 * terminal);
  const double rate = 8.0 * kPi * 10.0 * std::pow(radius, 3) / (0.4 * mass * radius * radius);
  EXPECT_NEAR(world->body_velocity(ball).angular.y(), 10.0 * std::exp(-2.0 * rate), 1e-3);
}

TEST(Medium, ABoxFloatsAtTheDraftOfItsDensity) {
  SmallModel model;
  model.model.medium.water_level = 2.0;
  model.model.medium.water_density = 1000.0;
  const BodyId box = model.add_box("box", {{0.0, 0.0, 2.1}, Quat::Identity()}, {1.0, 1.0, 0.4}, 120.0);
  const auto world = simulate(model, 20.0);
  constexpr double kStillBobbing = 3e-3;  // m; quadratic drag hardly damps a small motion
  EXPECT_NEAR(2.0 - (world->body_pose(box).p.z() - 0.2), 120.0 / 1000.0, kStillBobbing);
  EXPECT_GT(world->body_pose(box).q.w(), 0.9999);
}

TEST(Medium, ATiltedRaftRightsItself) {
  SmallModel model;
  model.model.medium.water_level = 0.0;
  const BodyId raft = model.add_box("raft", {Vec3::Zero(), turn(0.3, Vec3::UnitX())}, {1.0, 1.0, 0.2}, 100.0);
  EXPECT_GT(simulate(model, 20.0)->body_pose(raft).q.w(), 0.9999);
}

TEST(Medium, ABoxLighterThanAirRises) {
  SmallModel model;
  model.model.medium.air_density = 1.2;
  const BodyId box = model.add_box("box", {}, {1.0, 1.0, 1.0}, 0.6);
  EXPECT_GT(simulate(model, 1.0)->body_velocity(box).linear.z(), 0.5);
}

TEST(Medium, WindAcceleratesABodyToItsSpeed) {
  SmallModel model;
  model.model.gravity.setZero();
  model.model.medium.air_density = 1.2;
  model.model.medium.wind = {5.0, 0.0, 0.0};
  const BodyId ball = model.add_ball("ball", Vec3::Zero(), 0.2, 0.02);
  const auto world = simulate(model, 1.0);
  // v' = c (5 - v)^2  =>  5 - v = 5 / (1 + 5 c t)
  const double c = 0.5 * 1.2 * kPi * 0.04 / 0.02;
  EXPECT_NEAR(world->body_velocity(ball).linear.x(), 5.0 - 5.0 / (1.0 + 5.0 * c), 0.02);
}

TEST(Medium, WithoutAirAndWaterThereIsNoForce) {
  SmallModel model;
  const BodyId ball = model.add_ball("ball", Vec3::Zero(), 0.2, 0.02);
  EXPECT_NEAR(simulate(model, 1.0)->body_velocity(ball).linear.z(), -9.81, 1e-9);
}

/// A box that turns about an axis in air of density 1.2 without gravity. The anchor is `end` from its middle.
struct BoxInAir {
  BoxInAir(JointType type, const Vec3& size, const Vec3& end, const Vec3& axis = Vec3::UnitY(),
           double mass = 6.0) {
    model.model.gravity.setZero();
    model.model.medium.air_density = kAir;
    const Vec3 s = size.cwiseAbs2();
    const Vec3 inertia = mass / 12.0 * (Vec3::Constant(s.sum()) - s);
    body = model.add_body("box", kWorldBody, {}, mass, inertia, -end);
    JointModel& joint = model.add_joint(body, type, axis);
    if (!joint.initial_velocity.empty()) joint.initial_velocity[0] = kSpeed;
    model.add_shape(body, Box{size}, {}, {-end, Quat::Identity()});
    moment = axis.dot(inertia.asDiagonal() * axis) + mass * axis.cross(end).squaredNorm();
  }
  /// Of the drag in the first step, which turns the body by its momentum, N m.
  double torque() const {
    const auto world = simulate(model, to_seconds(model.model.step));
    return moment * (kSpeed - world->joint_velocity(JointId{0})[0]) / to_seconds(model.model.step);
  }
  static constexpr double kAir = 1.2, kSpeed = 3.0;  // kg/m^3, rad/s
  SmallModel model;
  BodyId body{};
  double moment = 0.0;  // of inertia about the axis, kg m^2
};
constexpr double kRounding = 1e-9;  // relative

TEST(Medium, ARodThatTurnsAboutItsEndIsSlowedAllAlongIt) {
  const double width = 0.5, length = 3.0;
  const BoxInAir rod(JointType::kHinge, {1e-6, width, length}, {0.0, 0.0, length / 2.0});
  // integral of 1/2 rho width (w s)^2 s ds; the speed of the middle alone would give half of it
  const double expected = 0.5 * rod.kAir * width * 9.0 * std::pow(length, 4) / 4.0;
  EXPECT_NEAR(rod.torque(), expected, 1e-6 * expected);
}

TEST(Medium, ABoxThatTurnsAboutItsMiddleIsSlowedByAllItsSides) {
  const Vec3 d(0.3, 0.5, 3.0);
  for (int i = 0; i < 3; ++i) {
    const BoxInAir box(JointType::kHinge, d, Vec3::Zero(), Vec3::Unit(i));
    const double j = d[(i + 1) % 3], k = d[(i + 2) % 3];
    const double expected = box.kAir * d[i] * (std::pow(j, 4) + std::pow(k, 4)) / 64.0 * 9.0;
    EXPECT_NEAR(box.torque(), expected, kRounding * expected) << i;
  }
}

TEST(Medium, AMeshOfARodIsSlowedLikeTheRod) {
  const double width = 0.5, length = 3.0;
  BoxInAir rod(JointType::kHinge, {0.1, width, length}, {0.0, 0.0, length / 2.0});
  const double expected = rod.torque();
  Mesh& mesh = rod.model.model.meshes.emplace_back();
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 1 ? 0.05 : -0.05, i & 2 ? 0.25 : -0.25, i & 4 ? 1.5 : -1.5);
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  rod.model.model.shapes[0].geometry = MeshGeometry{MeshId{0}};
  constexpr double kSharpEdges = 0.01;  // an ellipsoid has none
  EXPECT_NEAR(rod.torque(), expected, kSharpEdges * expected);
}

TEST(Medium, AWindThatReversesAlongARodIsIntegratedOnBothSides) {
  const double width = 0.5, length = 3.0;
  BoxInAir rod(JointType::kHinge, {1e-6, width, length}, {0.0, 0.0, length / 2.0});
  // The points of the rod at depth s move with -w s: the wind pushes those above 1 m and holds back the others.
  rod.model.model.medium.wind.x() = -3.0;
  const auto integral = [](double s) {
    return 9.0 * (s * s * s * s / 4.0 - 2.0 * s * s * s / 3.0 + s * s / 2.0);
  };
  const double expected = 0.5 * rod.kAir * width * (integral(length) - 2.0 * integral(1.0));
  EXPECT_NEAR(rod.torque(), expected, 1e-6 * expected);
}

TEST(Medium, TheSubmergedHalfOfAPaddleIsIntegratedAlone) {
  const double width = 0.5, length = 2.0, half = length / 2.0;
  BoxInAir paddle(JointType::kHinge, {1e-6, width, length}, {0.0, 0.0, half}, Vec3::UnitY(), 5000.0);
  paddle.model.model.medium.air_density = 0.0;
  paddle.model.model.medium.water_level = -half;
  paddle.model.model.medium.water_density = 1000.0;
  const double expected = 0.5 * 1000.0 * width * 9.0 * (std::pow(length, 4) - std::pow(half, 4)) / 4.0;
  EXPECT_NEAR(paddle.torque(), expected, 1e-6 * expected);
}

TEST(Medium, ARoundShaftTurnsAboutItsAxisWithoutDrag) {
  BoxInAir shaft(JointType::kHinge, {0.2, 0.2, 1.0}, Vec3::Zero(), Vec3::UnitZ());
  shaft.model.model.shapes[0].geometry = Cylinder{0.1, 1.0};
  EXPECT_EQ(shaft.torque(), 0.0);
}

TEST(Medium, WindPushesABoxThatDoesNotRotateAtItsMiddle) {
  BoxInAir box(JointType::kFixed, {0.5, 0.3, 4.0}, {0.0, 0.0, -2.0});
  box.model.model.medium.wind = {10.0, 0.0, 0.0};
  auto world = MujocoEngine().make_world(box.model.share());
  world->track({.joint_reactions = true});
  MediumForces medium(world->model());
  medium.advance({}, box.model.model.step, Row({}), *world);
  ASSERT_TRUE(world->step().ok());
  // 1/2 rho A v^2 of a pole that is fixed to the world; the mount holds it back.
  const JointReaction reaction = world->joint_reaction(JointId{0});
  EXPECT_NEAR(reaction.force.x(), -72.0, kRounding * 72.0);
  EXPECT_NEAR(reaction.torque.y(), -72.0 * 2.0, kRounding * 144.0);
}

TEST(Medium, WaterLiftsAFixedPostThroughTheLinkItIsFixedTo) {
  BoxInAir post(JointType::kFixed, {0.2, 0.2, 1.0}, {0.0, 0.0, -0.5});
  post.model.model.gravity = {0.0, 0.0, -10.0};
  post.model.model.medium = {.water_level = 3.0, .water_density = 1000.0};
  const BodyId upper =
      post.model.add_body("upper", post.body, {{0.0, 0.0, 1.0}, Quat::Identity()}, 1.0, Vec3::Ones());
  post.model.add_joint(upper, JointType::kFixed);
  post.model.add_shape(upper, Box{{0.1, 0.1, 0.1}});
  auto world = MujocoEngine().make_world(post.model.share());
  world->track({.joint_reactions = true});
  MediumForces medium(world->model());
  medium.advance({}, post.model.model.step, Row({}), *world);
  ASSERT_TRUE(world->step().ok());
  EXPECT_NEAR(world->joint_reaction(JointId{1}).force.z(), 10.0 - 10.0, 1e-9);
  EXPECT_NEAR(world->joint_reaction(JointId{0}).force.z(), (6.0 + 1.0) * 10.0 - 400.0 - 10.0, 1e-9);
}

TEST(Medium, DragNeverAddsEnergyToALightVaneFarFromItsMass) {
  SmallModel model;
  model.model.gravity.setZero();
  model.model.medium.water_level = 1000.0;
  const BodyId hub = model.add_box("hub", {}, {0.1, 0.1, 0.1}, 0.01);
  const BodyId vane = model.add_body("vane", hub, {{2.0, 0.0, 0.0}, Quat::Identity()});
  model.add_shape(vane, Box{{0.01, 1.0, 2.0}});
  model.model.joints[0].initial_velocity = {10.0, -5.0, 3.0, 2.0, 3.0, -1.0};
  double energy = MujocoEngine().make_world(model.share())->report({.energy = true}).energy.kinetic;
  simulate(model, 1.0, [&](const World& world) {
    EXPECT_LE(world.report({.energy = true}).energy.kinetic, energy * (1.0 + 1e-9));
    energy = world.report({.energy = true}).energy.kinetic;
  });
}

TEST(Medium, DragNeverAddsEnergyEvenToVeryLightBodies) {
  for (const double mass : {1e-4, 1.0}) {
    SmallModel model;
    model.model.gravity.setZero();
    model.model.medium.water_level = 1000.0;
    model.add_box("leaf", {}, {1.0, 0.5, 0.1}, mass);
    model.model.joints[0].initial_velocity = {10.0, -5.0, 3.0, 20.0, 30.0, -10.0};
    double energy = MujocoEngine().make_world(model.share())->report({.energy = true}).energy.kinetic;
    simulate(model, 1.0, [&](const World& world) {
      EXPECT_LE(world.report({.energy = true}).energy.kinetic, energy * (1.0 + 1e-9));
      energy = world.report({.energy = true}).energy.kinetic;
    });
  }
}

}  // namespace
}  // namespace lockstep
