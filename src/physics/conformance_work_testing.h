#pragma once

#include "physics/conformance_testing.h"

/// Work by cause, and the energy that it leaves unexplained: closed forms of mechanics.
namespace lockstep {

/// A mass of 2 kg on a slide along an axis.
inline SmallModel make_slider(const Vec3& axis, double velocity) {
  SmallModel model;
  const BodyId cart = model.add_body("cart", kWorldBody, {}, 2.0, Vec3::Constant(0.1));
  model.add_joint(cart, JointType::kSlide, axis).initial_velocity = {velocity};
  return model;
}

class WorkConformance : public Conformance {
 protected:
  static constexpr Integrator kAll[] = {Integrator::kEuler, Integrator::kImplicit, Integrator::kRk4};

  static Work work(const World& world) { return world.report({.work = true}).work; }
  static double energy(const World& world) { return world.report({.energy = true}).energy.total(); }
};

TEST_P(WorkConformance, ADamperTakesTheKineticEnergyThatItBrakes) {
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    for (const double damping : {1.0, 1e5}) {
      SmallModel model = make_slider(Vec3::UnitX(), 3.0);
      model.model.engine.integrator = integrator;
      model.model.joints[0].damping = damping;
      const auto world = make_world(model);
      run(*world, 1.0);
      const double left = 9.0 * std::exp(-2.0 * damping * 1.0 / 2.0);
      EXPECT_NEAR(work(*world).damping, left - 9.0, 0.01);
      EXPECT_NEAR(work(*world).unexplained, 0.0, 9e-6);
    }
  }
}

TEST_P(WorkConformance, DryFrictionTakesForceTimesDistance) {
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model = make_slider(Vec3::UnitX(), 3.0);
    model.model.engine.integrator = integrator;
    model.model.joints[0].friction = 4.0;
    const auto world = make_world(model);
    run(*world, 1.0);
    const double distance = world->joint_position(JointId{0})[0];
    EXPECT_NEAR(distance, 2.0, 0.02);
    EXPECT_NEAR(work(*world).friction, -4.0 * distance, 0.02);
    EXPECT_NEAR(work(*world).contacts, 0.0, 1e-9);
    EXPECT_NEAR(work(*world).unexplained, 0.0, 9e-6);
  }
}

TEST_P(WorkConformance, EachSourceDoesItsOwnWork) {
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model = make_slider(Vec3::UnitZ(), 0.0);
    model.model.engine.integrator = integrator;
    const auto world = make_world(model);
    for (int i = 0; i < 1000; ++i) {
      world->attribute_forces(1);
      world->add_joint_force(JointId{0}, std::array{25.0});
      world->attribute_forces(2);
      world->add_body_force(BodyId{1}, world->body_pose(BodyId{1}).p, {.force = {7.0, 0.0, -3.0}});
      ASSERT_TRUE(world->step().ok());
    }
    const double height = world->joint_position(JointId{0})[0];
    const Work done = work(*world);
    ASSERT_EQ(done.by_source.size(), 3U);
    EXPECT_EQ(done.by_source[0], 0.0);
    EXPECT_NEAR(done.by_source[1], 25.0 * height, 2e-3 * 25.0 * height);
    EXPECT_NEAR(done.by_source[2], -3.0 * height, 2e-3 * 3.0 * height);
    EXPECT_NEAR(done.unexplained, 0.0, 2e-3 * 25.0 * height);
  }
}

TEST_P(WorkConformance, FrictionOnTheFloorTakesTheKineticEnergyOfABlock) {
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.engine.integrator = integrator;
    const MaterialId wood = model.add_material("wood", {.friction = 0.5});
    model.add_ground(wood);
    model.add_box("block", {{0.0, 0.0, 0.05}, Quat::Identity()}, {0.4, 0.4, 0.1}, 2.0, wood);
    model.model.joints[0].initial_velocity[0] = 3.0;
    const auto world = make_world(model);
    run(*world, 1.0);
    EXPECT_NEAR(work(*world).contacts, -9.0, 0.02);
    EXPECT_NEAR(work(*world).unexplained, 0.0, 0.02);
  }
}

TEST_P(WorkConformance, BouncesTakeTheEnergyThatTheyDoNotReturn) {
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.engine.integrator = integrator;
    const MaterialId rubber = model.add_material("rubber", {.friction = 0.5, .restitution = 0.5});
    model.add_ground(rubber);
    model.add_ball("ball", {0.0, 0.0, 1.1}, 0.1, 1.0, rubber);
    const auto world = make_world(model);
    run(*world, 0.6);  // one bounce
    EXPECT_NEAR(work(*world).contacts, -0.75 * kGravity, 0.03);
    EXPECT_NEAR(work(*world).unexplained, 0.0, 0.03);
    run(*world, 3.0);
    EXPECT_NEAR(work(*world).contacts, -kGravity, 0.01 * kGravity);
  }
}

TEST_P(WorkConformance, APushedBodyThatTumblesGainsTheWorkOfThePush) {
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.gravity.setZero();
    model.model.engine.integrator = integrator;
    const BodyId box = model.add_box("box", {}, {0.1, 0.2, 0.3}, 1.0);
    model.model.joints[0].initial_velocity = {0.0, 0.0, 0.0, 10.0, 20.0, -5.0};
    const auto world = make_world(model);
    const double start = energy(*world);
    for (int i = 0; i < 2000; ++i) {
      const Pose pose = world->body_pose(box);
      world->add_body_force(box, pose * Vec3(0.05, 0.1, 0.15),
                            {.force = {0.3, -0.2, 0.5}, .torque = {0.0, 0.01, 0.0}});
      ASSERT_TRUE(world->step().ok());
    }
    const double gained = energy(*world) - start;
    EXPECT_GT(std::abs(gained), 0.1);
    EXPECT_NEAR(work(*world).by_source[0], gained, 0.01 * std::abs(gained));
  }
}

TEST_P(WorkConformance, PuttingAJointElsewhereIsWork) {
  SmallModel model = make_slider(Vec3::UnitZ(), 0.0);
  const auto world = make_world(model);
  world->attribute_forces(1);
  world->set_joint_position(JointId{0}, 0.5);
  EXPECT_NEAR(work(*world).by_source[1], 0.5 * 2.0 * kGravity, 1e-12);
  EXPECT_NEAR(work(*world).unexplained, 0.0, 1e-12);
}

TEST_P(WorkConformance, ASavedStateKeepsTheWorkOfEachSource) {
  SmallModel model = make_slider(Vec3::UnitZ(), 1.0);
  model.model.joints[0].damping = 0.5;
  const auto world = make_world(model), other = make_world(model);
  const auto push = [](World& pushed) {
    pushed.attribute_forces(2);
    pushed.add_joint_force(JointId{0}, std::array{5.0});
  };
  for (int i = 0; i < 100; ++i) {
    push(*world);
    ASSERT_TRUE(world->step().ok());
  }
  push(*world);
  restore_bytes(*other, save_bytes(*world));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(world->step().ok());
    ASSERT_TRUE(other->step().ok());
  }
  EXPECT_EQ(work(*other).by_source[2], work(*world).by_source[2]);
  EXPECT_EQ(work(*other).damping, work(*world).damping);
  EXPECT_EQ(work(*other).unexplained, work(*world).unexplained);
}

}  // namespace lockstep
