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
