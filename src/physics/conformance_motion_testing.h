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

/// Mean deviation of the bodies from a much finer run, after 0.256 s.
inline double calc_error(const EngineUnderTest& under_test, const SmallModel& small, Integrator integrator,
                         Duration step) {
  constexpr Duration kFine = std::chrono::nanoseconds(31'250);
  const auto end_positions = [&](Duration chosen, Integrator method) {
    SmallModel model = small;
    model.model.step = chosen;
    model.model.engine.integrator = method;
    for (ShapeModel& shape : model.model.shapes) shape.collide = false;
    const auto world = under_test.engine->make_world(model.share());
    for (auto time = Duration(0); time < std::chrono::milliseconds(256); time += chosen)
      EXPECT_TRUE(world->step().ok());
    std::vector<Vec3> positions;
    for (std::size_t i = 1; i < model.model.bodies.size(); ++i)
      positions.push_back(world->body_pose(BodyId{static_cast<int>(i)}).p);
    return positions;
  };
  const auto reference = end_positions(kFine, Integrator::kRk4);
  const auto positions = end_positions(step, integrator);
  double sum = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) sum += (positions[i] - reference[i]).norm();
  return sum / static_cast<double>(positions.size());
}

/// By which power of the step the error falls.
inline double calc_order(const EngineUnderTest& under_test, const SmallModel& model, Integrator integrator,
                         std::chrono::nanoseconds step) {
  return std::log2(calc_error(under_test, model, integrator, step) /
                   calc_error(under_test, model, integrator, step / 2));
}

TEST_P(Conformance, AChainConvergesWithOrderOneByEulerAndFourByRungeKutta) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  const SmallModel chain = make_chain(5, true);
  EXPECT_GT(calc_order(GetParam(), chain, Integrator::kEuler, std::chrono::milliseconds(1)), 0.9);
  EXPECT_GT(calc_order(GetParam(), chain, Integrator::kRk4, std::chrono::milliseconds(8)), 3.7);
}

TEST_P(Conformance, ChainsWithFreeAndBallJointsConvergeWithFourthOrderByRungeKutta) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  SmallModel flying = make_chain(5, false);
  flying.model.joints[0].initial_velocity = {0.3, 0.0, 0.0, 3.0, 4.0, -5.0};
  const SmallModel hanging = make_ball_chain(3, 0.2, 10.0);
  EXPECT_GT(calc_order(GetParam(), flying, Integrator::kRk4, std::chrono::milliseconds(8)), 3.7);
  EXPECT_GT(calc_order(GetParam(), hanging, Integrator::kRk4, std::chrono::milliseconds(4)), 3.7);
  EXPECT_GT(calc_order(GetParam(), flying, Integrator::kEuler, std::chrono::milliseconds(1)), 0.9);
  EXPECT_GT(calc_order(GetParam(), hanging, Integrator::kEuler, std::chrono::microseconds(500)), 0.9);
}

/// R_WB of make_flying_disc(): it turns about its angular momentum L at |L| / I1, and about its own axis at
/// (1 - I3 / I1) w3 (Euler's equations for a symmetric body).
inline Quat calc_disc_orientation(const Vec3& spin, double time) {
  const Vec3 L = Vec3(0.0025, 0.0025, 0.005).cwiseProduct(spin);
  return turn(time * L.norm() / 0.0025, L.normalized()) * turn(-time * spin.z(), Vec3::UnitZ());
}

TEST_P(Conformance, AWobblingDiscTurnsAsEulersEquationsSayByRungeKutta) {
  LOCKSTEP_NEEDS_INTEGRATOR(Integrator::kRk4);
  const Vec3 spin(4.0, 0.0, 10.0);
  const auto error = [&](std::chrono::nanoseconds step) {
    SmallModel model = make_flying_disc(spin);
    model.model.step = step;
    model.model.engine.integrator = Integrator::kRk4;
    const auto world = make_world(model);
    run(*world, 1.6);
    return world->body_pose(BodyId{1}).q.angularDistance(calc_disc_orientation(spin, 1.6));
  };
  const double coarse = error(std::chrono::milliseconds(16)), fine = error(std::chrono::milliseconds(8));
  EXPECT_LT(coarse, 1e-2);
  EXPECT_GT(std::log2(coarse / fine), 3.7);
}

TEST_P(Conformance, AFastDiscThatWobblesKeepsItsEnergyForMinutesByEveryIntegrator) {
  for (const Integrator integrator : capabilities().integrators) {
    for (const Vec3& center : {Vec3(0.0, 0.0, 0.0), Vec3(0.1, 0.02, 0.0)}) {
      SmallModel model = make_flying_disc({20.0, 0.0, 200.0}, center);
      model.model.engine.integrator = integrator;
      const auto world = make_world(model);
      const WorldReport before = world->report({.energy = true, .momentum = true});
      run(*world, 120.0);
      const WorldReport after = world->report({.energy = true, .momentum = true});
      EXPECT_NEAR(after.energy.total() / before.energy.total(), 1.0, 1e-3);
      const Vec3 drift = after.momentum.angular - before.momentum.angular;
      EXPECT_LT(drift.norm(), 1e-3 * before.momentum.angular.norm());
      EXPECT_LT(after.momentum.linear.norm(), 1e-3);
    }
  }
}

TEST_P(Conformance, ABodyThatTumblesFastKeepsItsEnergyByEveryIntegrator) {
  for (const Integrator integrator : capabilities().integrators) {
    SmallModel model = make_flying_disc({150.0, 0.0, 150.0});
    model.model.bodies[1].mass.inertia = Vec3(0.002, 0.003, 0.004).asDiagonal();
    model.model.engine.integrator = integrator;
    const auto world = make_world(model);
    const double energy = world->report({.energy = true}).energy.total();
    run(*world, 60.0);
    EXPECT_NEAR(world->report({.energy = true}).energy.total() / energy, 1.0, 0.01);
  }
}

/// A top of 1 kg, 0.1 m above its tip, that leans by 0.3 rad and spins at 200 rad/s. It starts with just the
/// precession W that keeps it there: m g l = I3 w3 W - I1 W^2 cos(lean), moments about the tip.
inline SmallModel make_top(bool on_loop, double& precession) {
  constexpr double kLean = 0.3, kSpin = 200.0, kI1 = 0.0025 + 0.01, kI3 = 0.005;
  const double a = kI1 * std::cos(kLean), b = kI3 * kSpin, c = 9.81 * 0.1;
  precession = (b - std::sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
  SmallModel model;
  const Quat q = turn(kLean, Vec3::UnitY());
  const BodyId top =
      model.add_body("top", kWorldBody, {Vec3::Zero(), q}, 1.0, {0.0025, 0.0025, 0.005}, {0.0, 0.0, 0.1});
  Vec3 w = q.conjugate() * Vec3(0.0, 0.0, precession);
  w.z() = kSpin;
  if (on_loop) {
    model.add_joint(top, JointType::kFree).initial_velocity = {0.0, 0.0, 0.0, w.x(), w.y(), w.z()};
    const SiteId tip = model.add_site(top, {}), ground = model.add_site(kWorldBody, {});
    model.model.loops.push_back({"tip", LoopType::kPoint, tip, ground});
  } else {
    model.add_joint(top, JointType::kBall).initial_velocity = {w.x(), w.y(), w.z()};
  }
  return model;
}

TEST_P(Conformance, ATopPrecessesAtItsRateAndKeepsItsEnergyByEveryIntegrator) {
  LOCKSTEP_NEEDS(closed_loops);
  for (const Integrator integrator : capabilities().integrators) {
    for (const bool on_loop : {false, true}) {
      double precession = 0.0;
      SmallModel model = make_top(on_loop, precession);
      model.model.engine.integrator = integrator;
      const auto world = make_world(model);
      const double energy = world->report({.energy = true}).energy.total();
      run(*world, 3.0);
      const Vec3 axis = world->body_pose(BodyId{1}).q * Vec3::UnitZ();
      EXPECT_NEAR(std::atan2(axis.y(), axis.x()), 3.0 * precession, 0.03) << on_loop;
      EXPECT_NEAR(std::acos(axis.z()), 0.3, 0.003) << on_loop;
      EXPECT_NEAR(world->report({.energy = true}).energy.total() / energy, 1.0, 1e-3) << on_loop;
    }
  }
}

TEST_P(Conformance, ChainsOfBallJointsUnderTensionKeepTheirEnergyByEveryIntegrator) {
  for (const Integrator integrator : capabilities().integrators) {
    for (const SmallModel& chain : {make_ball_chain(10, 20.0, 5.0), make_ball_chain(5, 1.0, 50.0)}) {
      SmallModel model = chain;
      model.model.engine.integrator = integrator;
      const auto world = make_world(model);
      const double energy = world->report({.energy = true}).energy.total();
      const double fall = -world->report({.energy = true}).energy.potential;
      run(*world, 10.0);
      EXPECT_NEAR(world->report({.energy = true}).energy.total(), energy, 2e-3 * fall);
    }
  }
}

TEST_P(Conformance, AFloatingChainKeepsItsMomentumByEveryIntegrator) {
  for (const Integrator integrator : capabilities().integrators) {
    SmallModel model = make_chain(21, false);
    model.model.gravity.setZero();
    model.model.engine.integrator = integrator;
    for (ShapeModel& shape : model.model.shapes) shape.collide = false;
    model.model.joints[0].initial_velocity = {0.1, 0.0, 0.0, 1.0, 2.0, 3.0};
    const auto world = make_world(model);
    const WorldReport before = world->report({.energy = true, .momentum = true});
    run(*world, 10.0);
    const WorldReport after = world->report({.energy = true, .momentum = true});
    EXPECT_LT((after.momentum.linear - before.momentum.linear).norm(), 1e-8);
    EXPECT_LT((after.momentum.angular - before.momentum.angular).norm(), 1e-5 * before.momentum.angular.norm());
    EXPECT_NEAR(after.energy.total() / before.energy.total(), 1.0, 1e-4);
  }
}

}  // namespace lockstep
