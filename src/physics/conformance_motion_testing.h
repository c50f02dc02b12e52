#pragma once

#include "physics/conformance_testing.h"

/// Bodies in free flight and on joints: closed forms of mechanics.
namespace lockstep {

TEST_P(Conformance, FreeFallFollowsTheIntegratorExactly) {
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kRk4}) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.engine.integrator = integrator;
    const BodyId ball = model.add_ball("ball", {0.0, 0.0, 100.0}, 0.1, 2.0);
    const auto world = make_world(model);
    run(*world, 1.0);
    const double n = 1000.0, h = 1e-3;
    const double fallen =
        integrator == Integrator::kEuler ? 0.5 * kGravity * h * h * n * (n + 1.0) : 0.5 * kGravity;
    EXPECT_NEAR(world->body_pose(ball).p.z(), 100.0 - fallen, 1e-10);
    EXPECT_NEAR(world->body_velocity(ball).linear.z(), -kGravity, 1e-10);
  }
}

TEST_P(Conformance, AProjectileFliesAParabola) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  SmallModel model;
  model.model.engine.integrator = Integrator::kRk4;
  const BodyId ball = model.add_ball("ball", {0.0, 0.0, 1.0}, 0.1, 1.0);
  model.model.joints[0].initial_velocity = {3.0, -1.0, 4.0, 0.0, 0.0, 0.0};
  const auto world = make_world(model);
  run(*world, 0.7);
  const Vec3 expected(3.0 * 0.7, -0.7, 1.0 + 4.0 * 0.7 - 0.5 * kGravity * 0.49);
  EXPECT_LT((world->body_pose(ball).p - expected).norm(), 1e-9);
}

TEST_P(Conformance, ALargePendulumSwingHasThePeriodOfTheEllipticIntegral) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  const double amplitude = 2.0;
  SmallModel model = make_pendulum(amplitude);
  model.model.engine.integrator = Integrator::kRk4;
  const auto world = make_world(model);
  double half_period = 0.0, time = 0.0;
  run(*world, 3.0, [&] {
    time += 1e-3;
    const double rate = world->joint_velocity(JointId{0})[0];
    if (half_period == 0.0 && rate > 0.0)
      half_period = time - 1e-3 * rate / (rate + 1e-3 * kGravity * std::sin(amplitude));
  });
  const double period = 4.0 * std::sqrt(1.0 / kGravity) * std::comp_ellint_1(std::sin(amplitude / 2.0));
  EXPECT_NEAR(2.0 * half_period, period, 1e-3 * period);
}

TEST_P(Conformance, ACollisionInFreeFlightConservesMomentum) {
  SmallModel model;
  model.model.gravity.setZero();
  model.add_ball("a", {-0.5, 0.0, 0.0}, 0.1, 2.0);
  model.model.joints[0].initial_velocity = {2.0, 0.0, 0.0, 1.0, 2.0, 3.0};
  model.add_box("b", {{0.3, 0.05, 0.02}, turn(0.3, Vec3::UnitZ())}, {0.3, 0.2, 0.1}, 1.0);
  const auto world = make_world(model);
  const Momentum before = world->report({.momentum = true}).momentum;
  run(*world, 1.0);
  EXPECT_GT(world->body_velocity(BodyId{2}).linear.x(), 0.5);  // it was hit
  EXPECT_LT((world->report({.momentum = true}).momentum.linear - before.linear).norm(), 1e-9);
  EXPECT_LT((world->report({.momentum = true}).momentum.angular - before.angular).norm(), 1e-3);
}

TEST_P(Conformance, ATumblingBodyConservesEnergyAndAngularMomentum) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  SmallModel model;
  model.model.gravity.setZero();
  model.model.engine.integrator = Integrator::kRk4;
  const BodyId body = model.add_body("racket", kWorldBody, {}, 1.0, {0.1, 0.2, 0.25});
  model.add_joint(body, JointType::kFree).initial_velocity = {0.0, 0.0, 0.0, 1e-3, 5.0, 0.0};  // Dzhanibekov
  const auto world = make_world(model);
  const double energy = world->report({.energy = true}).energy.total();
  const Vec3 momentum = world->report({.momentum = true}).momentum.angular;
  double lowest_rate = 5.0;
  run(*world, 10.0, [&] { lowest_rate = std::min(lowest_rate, world->joint_velocity(JointId{0})[4]); });
  EXPECT_LT(lowest_rate, -4.9);  // it has turned over
  EXPECT_NEAR(world->report({.energy = true}).energy.total() / energy, 1.0, 1e-8);
  EXPECT_LT((world->report({.momentum = true}).momentum.angular - momentum).norm(), 1e-7);
}

TEST_P(Conformance, APendulumWithRungeKuttaConservesEnergy) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  SmallModel model = make_pendulum(3.0);
  model.model.engine.integrator = Integrator::kRk4;
  const auto world = make_world(model);
  const double energy = world->report({.energy = true}).energy.total();
  EXPECT_NEAR(energy, -kGravity * std::cos(3.0), 1e-9);
  run(*world, 10.0);
  EXPECT_NEAR(world->report({.energy = true}).energy.total(), energy, 1e-6);
}

TEST_P(Conformance, PositionsAndVelocitiesDescribeTheInstantAfterTheStep) {
  const auto world = make_world(make_pendulum(1.0));
  run(*world, 0.5);
  const double angle = world->joint_position(JointId{0})[0], rate = world->joint_velocity(JointId{0})[0];
  const Vec3 tip = world->body_pose(BodyId{1}) * Vec3(0.0, 0.0, -1.0);
  EXPECT_LT((tip - Vec3(-std::sin(angle), 0.0, -std::cos(angle))).norm(), 1e-14);
  EXPECT_NEAR(world->body_velocity(BodyId{1}).angular.y(), rate, 1e-14);
}

TEST_P(Conformance, AccelerationIsZeroAtRestAndGravityInFreeFall) {
  SmallModel model;
  model.add_ground();
  const BodyId lies = model.add_box("lies", {{0.0, 0.0, 0.1}, Quat::Identity()}, {0.3, 0.3, 0.2}, 1.0);
  const BodyId falls = model.add_ball("falls", {2.0, 0.0, 50.0}, 0.1, 1.0);
  const auto world = make_world(model);
  world->track({.accelerations = true});
  run(*world, 1.0);
  EXPECT_LT(world->body_acceleration(lies).linear.norm(), 1e-3);
  EXPECT_LT((world->body_acceleration(falls).linear - Vec3(0.0, 0.0, -kGravity)).norm(), 1e-9);
}

TEST_P(Conformance, AccelerationOfAPointOnAWheelIsCentripetal) {
  SmallModel model;
  model.model.gravity.setZero();
  const BodyId wheel = model.add_body("wheel", kWorldBody, {{2.0, 0.0, 0.0}, Quat::Identity()}, 1.0,
                                      {0.1, 0.1, 0.1}, {-2.0, 0.0, 0.0});
  model.add_joint(wheel, JointType::kHinge, Vec3::UnitZ(), {-2.0, 0.0, 0.0}).initial_velocity = {3.0};
  const auto world = make_world(model);
  world->track({.accelerations = true});
  ASSERT_TRUE(world->step().ok());
  EXPECT_LT((world->body_acceleration(wheel).linear - Vec3(-18.0, 0.0, 0.0)).norm(), 1e-9);  // w^2 r
}

TEST_P(Conformance, AForceOnABodyAcceleratesAndRotatesIt) {
  SmallModel model;
  model.model.gravity.setZero();
  const BodyId body = model.add_body("body", kWorldBody, {}, 2.0, Vec3::Constant(0.5), {0.1, 0.0, 0.0});
  model.add_joint(body, JointType::kFree);
  const auto world = make_world(model);
  // Through the point 0.4 m beside the centre of mass; two halves add up.
  for (int i = 0; i < 2; ++i)
    world->add_body_force(body, {0.5, 0.0, 0.0}, {.force = {0.0, 2.0, 0.0}, .torque = {0.5, 0.0, 0.0}});
  ASSERT_TRUE(world->step().ok());
  EXPECT_NEAR(world->report({.momentum = true}).momentum.linear.y(), 4e-3, 1e-12);
  EXPECT_NEAR(world->body_velocity(body).angular.z(), 4.0 * 0.4 / 0.5 * 1e-3, 1e-12);
  EXPECT_NEAR(world->body_velocity(body).angular.x(), 1.0 / 0.5 * 1e-3, 1e-12);
  ASSERT_TRUE(world->step().ok());  // it acts for one step only
  EXPECT_NEAR(world->report({.momentum = true}).momentum.linear.y(), 4e-3, 1e-12);
}

/// Mean deviation of the links of a falling chain from a much finer run, after 0.25 s.
inline double calc_chain_error(const EngineUnderTest& under_test, Integrator integrator, Duration step) {
  constexpr Duration kFine = std::chrono::nanoseconds(31'250);
  const auto end_positions = [&](Duration chosen, Integrator method) {
    SmallModel model = make_chain(5, true);
    model.model.step = chosen;
    model.model.engine.integrator = method;
    for (ShapeModel& shape : model.model.shapes) shape.collide = false;
    const auto world = under_test.engine->make_world(model.share());
    for (auto time = Duration(0); time < std::chrono::milliseconds(256); time += chosen)
      EXPECT_TRUE(world->step().ok());
    std::vector<Vec3> positions;
    for (int i = 1; i <= 5; ++i) positions.push_back(world->body_pose(BodyId{i}).p);
    return positions;
  };
  const auto reference = end_positions(kFine, Integrator::kRk4);
  const auto positions = end_positions(step, integrator);
  double sum = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) sum += (positions[i] - reference[i]).norm();
  return sum / 5.0;
}

TEST_P(Conformance, AChainConvergesWithOrderOneByEulerAndFourByRungeKutta) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  const auto order = [&](Integrator integrator, std::chrono::nanoseconds step) {
    return std::log2(calc_chain_error(GetParam(), integrator, step) /
                     calc_chain_error(GetParam(), integrator, step / 2));
  };
  EXPECT_GT(order(Integrator::kEuler, std::chrono::milliseconds(1)), 0.9);
  EXPECT_GT(order(Integrator::kRk4, std::chrono::milliseconds(8)), 3.7);
}

}  // namespace lockstep
