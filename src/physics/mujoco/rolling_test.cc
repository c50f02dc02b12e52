#include <gtest/gtest.h>

#include "physics/model_builder_testing.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/options.h"

/// The rolling test of SimBenchmark: a box of 10 kg is pushed over the ground with 25 balls rolling on it.
/// Published for MuJoCo with the Newton solver, elliptic cones and 1 ms: 0.00692691 by Euler, 0.0027148 by
/// Runge-Kutta.
namespace lockstep {
namespace {

constexpr double kBoxMass = 10.0, kBallMass = 1.0, kBalls = 25.0, kPush = 150.0;
constexpr double kFrictionOfGround = 0.4;
const Vec3 kDirection(0.5, 0.866025403784439, 0.0);
constexpr BodyId kBox{1}, kFirstBall{2};

SmallModel make_rolling_model(Integrator integrator) {
  SmallModel model;
  model.model.engine.integrator = integrator;
  const MaterialId ground = model.add_material("ground"), wood = model.add_material("wood"),
                   ball = model.add_material("ball");
  model.set_contact(ground, wood, {.friction = kFrictionOfGround});
  model.set_contact(wood, ball, {.friction = 0.8});
  model.add_ground(ground);
  model.add_box("box", {{0.0, 0.0, 0.499998}, Quat::Identity()}, {20.0, 20.0, 1.0}, kBoxMass, wood);
  for (int x = -4; x <= 4; x += 2) {
    for (int y = -4; y <= 4; y += 2)
      model.add_ball(fmt::format("ball{},{}", x, y), {1.0 * x, 1.0 * y, 1.499998}, 0.5, kBallMass, ball);
  }
  return model;
}

/// Mean over 4 s of the squared velocity errors of the box and the first ball.
double calc_error(const SmallModel& model) {
  const double f1 = kFrictionOfGround * (kBoxMass + kBalls * kBallMass) * 9.81;
  const double f2 = (kPush - f1) / kBoxMass / (3.5 / kBallMass + kBalls / kBoxMass);
  const double box_acceleration = (kPush - f1 - kBalls * f2) / kBoxMass, ball_acceleration = f2 / kBallMass;
  const auto world = MujocoEngine().make_world(model.share());
  double sum = 0.0;
  constexpr int kSteps = 4000;
  for (int i = 0; i < kSteps; ++i) {
    const double time = 1e-3 * i;
    sum += (world->body_velocity(kBox).linear - box_acceleration * time * kDirection).squaredNorm();
    sum += (world->body_velocity(kFirstBall).linear - ball_acceleration * time * kDirection).squaredNorm();
    world->add_body_force(kBox, world->body_pose(kBox).p, {.force = kPush * kDirection});
    EXPECT_TRUE(world->step().ok());
  }
  return sum / kSteps;
}

SmallModel as_published(SmallModel model) {
  EngineOptions& engine = model.model.engine;
  MujocoOptions own;
  own.level_sliding = false;
  engine.contact_time_constant = 0.02;
  engine.contact_damping_ratio = 1.0;
  own.contact_impedance = {0.9, 0.95, 0.001};
  engine.tolerance = 1e-30;
  engine.iterations = 1000;
  engine.own = write_own(own);
  return model;
}

TEST(RollingSlow, ByEulerHasThePublishedError) {
  EXPECT_NEAR(calc_error(as_published(make_rolling_model(Integrator::kEuler))), 0.00692691, 0.5e-8);
}

TEST(RollingSlow, ByRungeKuttaHasThePublishedError) {
  EXPECT_NEAR(calc_error(as_published(make_rolling_model(Integrator::kRk4))), 0.0027148, 0.5e-7);
}

TEST(RollingSlow, WithOurContactsIsAHundredthOfThePublishedError) {
  EXPECT_LT(calc_error(make_rolling_model(Integrator::kEuler)), 0.01 * 0.00692691);
  EXPECT_LT(calc_error(make_rolling_model(Integrator::kRk4)), 0.01 * 0.0027148);
}

/// 5 m/s over the ground: convex friction alone would lift the slab by 13 cm.
TEST(Sliding, AFastSlabStaysOnTheGroundAndStopsByCoulombsLaw) {
  for (const FrictionCone cone : {FrictionCone::kElliptic, FrictionCone::kPyramidal}) {
    SmallModel model;
    model.model.engine.own = write_own(MujocoOptions{.cone = cone});
    const MaterialId material = model.add_material("wood");
    constexpr double kFriction = 0.8, kSpeed = 5.0;
    model.set_contact(material, material, {.friction = kFriction});
    model.add_ground(material);
    const BodyId slab =
        model.add_box("slab", {{0.0, 0.0, 0.025}, Quat::Identity()}, {0.4, 0.2, 0.05}, 2.0, material);
    const auto world = MujocoEngine().make_world(model.share());
    const double braking = kFriction * 9.81, acceleration = 100.0;
    double highest = 0.0;
    for (int i = 0; i < 2000; ++i) {
      if (i < 50)
        world->add_body_force(slab, world->body_pose(slab).p,
                              {.force = 2.0 * (acceleration + braking) * Vec3::UnitX()});
      EXPECT_TRUE(world->step().ok());
      highest = std::max(highest, world->body_pose(slab).p.z());
    }
    EXPECT_LT(highest, 0.025 + 0.5e-3);
    const double way = 0.5 * kSpeed * kSpeed * (1.0 / acceleration + 1.0 / braking);
    EXPECT_NEAR(world->body_pose(slab).p.x(), way, 0.01 * way);
  }
}

TEST(Sliding, APyramidalConeBrakesLessBetweenItsEdges) {
  for (const auto& [cone, share] :
       {std::pair{FrictionCone::kElliptic, 1.0}, {FrictionCone::kPyramidal, std::sqrt(0.5)}}) {
    SmallModel model;
    model.model.engine.own = write_own(MujocoOptions{.cone = cone});
    const MaterialId material = model.add_material("wood", {.friction = 0.4});
    model.add_ground(material);
    const BodyId box =
        model.add_box("box", {{0.0, 0.0, 0.025}, Quat::Identity()}, {0.4, 0.4, 0.05}, 2.0, material);
    model.model.joints[0].initial_velocity = {2.0, 2.0, 0.0, 0.0, 0.0, 0.0};
    const auto world = MujocoEngine().make_world(model.share());
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(world->step().ok());
    const double braking = (std::sqrt(8.0) - world->body_velocity(box).linear.norm()) / 0.3;
    EXPECT_NEAR(braking, share * 0.4 * 9.81, 0.05 * 0.4 * 9.81);
  }
}

}  // namespace
}  // namespace lockstep
