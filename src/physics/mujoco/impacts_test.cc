#include "physics/mujoco/impacts.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lockstep/state.h"
#include "physics/conformance_testing.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/options.h"

namespace lockstep {
namespace {

constexpr Integrator kImpactIntegrators[] = {Integrator::kEuler, Integrator::kRk4, Integrator::kImplicit};

/// Balls and cubes that collide without gravity, by seed. Their inertia is the same about every axis, so that
/// integrators keep energy and momentum in free flight to rounding errors, and only impacts change them.
SmallModel make_scene(std::uint64_t seed) {
  Random random(seed, "impacts");
  const auto between = [&](double low, double high) { return low + (high - low) * random.uniform(); };
  const auto any_vector = [&](double size) {
    return Vec3(between(-size, size), between(-size, size), between(-size, size));
  };
  const auto any_contact = [&] {
    const double chance = random.uniform();
    return ContactModel{.friction = random.uniform() < 0.3 ? 0.0 : between(0.0, 1.0),
                        .restitution = chance < 0.2   ? 0.0
                                       : chance < 0.5 ? 1.0
                                                      : between(0.0, 1.0)};
  };
  SmallModel model;
  model.model.gravity.setZero();
  const MaterialId a = model.add_material("a", any_contact()), b = model.add_material("b", any_contact());
  model.set_contact(a, b, any_contact());
  const auto add = [&](const Vec3& position, double size, bool turned) {
    const std::string name = fmt::format("body{}", model.model.bodies.size());
    const MaterialId material = random.uniform() < 0.5 ? a : b;
    const double mass = std::pow(10.0, between(-1.0, 1.0));
    if (random.uniform() < 0.5) {
      model.add_ball(name, position, 0.5 * size, mass, material);
    } else {
      Quat q = Quat::Identity();
      if (turned) q = Quat(Eigen::AngleAxisd(between(0.0, 3.0), any_vector(1.0).normalized()));
      model.add_box(name, {position, q}, Vec3::Constant(size), mass, material);
    }
  };
  const auto throw_body = [&](std::size_t i, const Vec3& velocity, double spin) {
    const Vec3 w = any_vector(spin);
    model.model.joints[i].initial_velocity = {velocity.x(), velocity.y(), velocity.z(), w.x(), w.y(), w.z()};
  };
  switch (seed % 4) {
    case 0: {  // a row of touching bodies, hit by some of the same kind
      const auto count = static_cast<std::size_t>(between(3.0, 7.0));
      const auto moving = static_cast<std::size_t>(between(1.0, static_cast<double>(count)));
      for (std::size_t i = 0; i < count; ++i) {
        add({0.1 * static_cast<double>(i) - (i < moving ? 0.05 : 0.0), 0.0, 0.0}, 0.1, false);
        if (i < moving) throw_body(i, {2.0, 0.0, 0.0}, 0.0);
      }
      break;
    }
    case 1: {  // a block of touching bodies, hit from a random direction
      for (int i = 0; i < 8; ++i) add({0.1 * (i & 1), 0.1 * (i >> 1 & 1), 0.1 * (i >> 2)}, 0.1, false);
      const Vec3 from = any_vector(1.0).normalized();
      add(Vec3::Constant(0.05) + 0.3 * from, 0.1, true);
      throw_body(8, -between(1.0, 5.0) * from, 20.0);
      break;
    }
    case 2: {  // thrown into a corner
      model.add_shape(kWorldBody, PlaneGeometry{}, a);
      model.add_shape(kWorldBody, PlaneGeometry{}, b,
                      {Vec3::Zero(), turn(0.5 * std::numbers::pi, Vec3::UnitY())});
      model.add_shape(kWorldBody, PlaneGeometry{}, b,
                      {Vec3::Zero(), turn(-0.5 * std::numbers::pi, Vec3::UnitX())});
      for (std::size_t i = 0; i < 4; ++i) {
        add(Vec3(0.1 + 0.18 * static_cast<double>(i % 2), 0.1 + 0.18 * static_cast<double>(i / 2), 0.1), 0.1,
            true);
        throw_body(i, {between(-4.0, 0.0), between(-4.0, 0.0), between(-4.0, 0.0)}, 20.0);
      }
      break;
    }
    default: {  // all against all
      for (std::size_t i = 0; i < 6; ++i) {
        const Vec3 from = any_vector(1.0).normalized();
        add((0.3 + 0.18 * static_cast<double>(i)) * from, 0.1, true);
        throw_body(i, -(1.0 + 0.5 * static_cast<double>(i)) * from, 20.0);
      }
    }
  }
  model.model.engine.integrator = kImpactIntegrators[seed % 3];
  if (seed % 5 == 0) model.model.engine.own = write_own(MujocoOptions{.cone = FrictionCone::kPyramidal});
  return model;
}

/// Scale for comparing momenta: all of it in one direction, 1 m from the origin.
double calc_scale(const SmallModel& model) {
  double scale = 0.0;
  for (const JointModel& joint : model.model.joints) {
    const auto& v = joint.initial_velocity;
    scale += model.model.body(joint.body).mass.mass * Vec3(v[0], v[1], v[2]).norm();
  }
  return scale;
}

TEST(ImpactsSlow, NeverAddEnergyAndKeepMomentum) {
  constexpr double kEnergy = 1e-9, kMomentum = 1e-12;
  const std::uint64_t scenes = std::getenv("LOCKSTEP_THOROUGH") != nullptr ? 200 : 40;
  int losses = 0;
  for (std::uint64_t seed = 0; seed < scenes; ++seed) {
    const SmallModel model = make_scene(seed);
    const bool is_free = model.model.shapes.size() == model.model.joints.size();
    const double scale = calc_scale(model);
    const auto world = MujocoEngine().make_world(model.share());
    const Momentum start = world->report({.momentum = true}).momentum;
    double energy = world->report({.energy = true}).energy.kinetic;
    for (int step = 0; step < 300; ++step) {
      ASSERT_TRUE(world->step().ok()) << "seed " << seed;
      const WorldReport now = world->report({.energy = true, .momentum = true});
      ASSERT_LE(now.energy.kinetic, (1.0 + kEnergy) * energy) << "seed " << seed << ", step " << step;
      if (now.energy.kinetic < (1.0 - 1e-6) * energy) ++losses;
      energy = now.energy.kinetic;
      if (!is_free) continue;
      ASSERT_LT((now.momentum.linear - start.linear).norm(), kMomentum * scale) << "seed " << seed;
      ASSERT_LT((now.momentum.angular - start.angular).norm(), kMomentum * scale) << "seed " << seed;
    }
  }
  EXPECT_GT(losses, 10 * static_cast<int>(scenes));  // there were impacts
}

/// Kane's paradox: with Newton's and Coulomb's laws alone, a double pendulum whose tip hits a rough floor may gain
/// speed.
TEST(Impacts, ADoublePendulumThatHitsARoughFloorNeverGainsEnergy) {
  constexpr double kOfItsEnergy = 2e-4;  // a rewind approximates free fall by a parabola
  for (const double angle : {-1.5, -1.0, -0.5, 0.5, 1.0}) {
    SmallModel model;
    model.model.engine.integrator = Integrator::kRk4;
    const MaterialId rubber = model.add_material("rubber", {.friction = 0.8, .restitution = 0.9});
    model.add_ground(rubber);
    const Vec3 inertia(1e-2, 1e-2, 1e-4), middle(0.0, 0.0, -0.2), end(0.0, 0.0, -0.4);
    const BodyId upper =
        model.add_body("upper", kWorldBody, {{0.0, 0.0, 0.75}, Quat::Identity()}, 1.0, inertia, middle);
    model.add_joint(upper, JointType::kHinge, Vec3::UnitY()).initial_position = {1.2};
    const BodyId lower = model.add_body("lower", upper, {end, Quat::Identity()}, 1.0, inertia, middle);
    model.add_joint(lower, JointType::kHinge, Vec3::UnitY()).initial_position = {angle};
    model.add_shape(lower, Sphere{0.02}, rubber, {end, Quat::Identity()});
    const auto world = MujocoEngine().make_world(model.share());
    const double start = world->report({.energy = true}).energy.total();
    double energy = start;
    for (int step = 0; step < 2000; ++step) {
      ASSERT_TRUE(world->step().ok());
      const double now = world->report({.energy = true}).energy.total();
      ASSERT_LT(now, energy + kOfItsEnergy * start) << angle << ", step " << step;
      energy = now;
    }
    EXPECT_LT(energy, start - 0.5) << angle;  // J; there were impacts
  }
}

}  // namespace
}  // namespace lockstep
