#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>

#include "physics/engine.h"
#include "physics/model_builder_testing.h"

/// The conformance suite that every engine runs. The test of an engine includes the seven headers below, each
/// exactly once, and instantiates the suite with its engine:
///
///     #include "physics/conformance_motion_testing.h"  … _contact.h, _drive.h, _joints.h, _reactions.h, _state.h, _work.h
///     INSTANTIATE_TEST_SUITE_P(Mujoco, Conformance,
///                              testing::Values(EngineUnderTest{std::make_shared<MujocoEngine>()}));
///
/// A test that needs a capability begins with LOCKSTEP_NEEDS(capability) or LOCKSTEP_NEEDS_INTEGRATOR(…), and
/// is skipped with that reason if an engine lacks it.
namespace lockstep {

#define LOCKSTEP_NEEDS(capability) \
  if (!capabilities().capability) GTEST_SKIP() << GetParam().name() << " has no " #capability

#define LOCKSTEP_NEEDS_INTEGRATOR(integrator) \
  if (!has_integrator(integrator)) GTEST_SKIP() << GetParam().name() << " has no " #integrator

struct EngineUnderTest {
  std::shared_ptr<const Engine> engine;

  std::string name() const { return std::string(engine->name()); }
};
inline void PrintTo(const EngineUnderTest& under_test, std::ostream* out) {
  *out << under_test.name();
}

class Conformance : public testing::TestWithParam<EngineUnderTest> {
 protected:
  std::unique_ptr<World> make_world(const SmallModel& model) const {
    return GetParam().engine->make_world(model.share());
  }
  EngineCapabilities capabilities() const { return GetParam().engine->capabilities(); }
  bool has_integrator(Integrator integrator) const {
    const std::vector<Integrator> offered = capabilities().integrators;
    return std::find(offered.begin(), offered.end(), integrator) != offered.end();
  }

  /// Steps for this many seconds; a failed step fails the test.
  static void run(World& world, double seconds, const std::function<void()>& after_each_step = {}) {
    const auto steps = std::llround(seconds / to_seconds(world.model().step));
    for (std::int64_t i = 0; i < steps; ++i) {
      const Status status = world.step();
      ASSERT_TRUE(status.ok()) << to_string(status);
      if (after_each_step) after_each_step();
    }
  }

  static constexpr double kGravity = 9.81;
  static constexpr double kPi = std::numbers::pi;
};

inline Quat turn(double angle, const Vec3& axis) {
  return Quat(Eigen::AngleAxisd(angle, axis));
}

inline std::vector<std::uint8_t> save_bytes(const World& world) {
  StateWriter writer;
  world.save(writer);
  return {writer.bytes().begin(), writer.bytes().end()};
}

inline void restore_bytes(World& world, const std::vector<std::uint8_t>& bytes) {
  StateReader reader(bytes);
  world.restore(reader);
  EXPECT_TRUE(reader.at_end());
}

/// A rod of 1 m and 1 kg, point-like at its end, on a hinge about y at the origin; it hangs down at angle zero.
inline SmallModel make_pendulum(double angle) {
  SmallModel model;
  const BodyId rod = model.add_body("rod", kWorldBody, {}, 1.0, Vec3::Constant(1e-6), {0.0, 0.0, -1.0});
  model.add_joint(rod, JointType::kHinge, Vec3::UnitY()).initial_position = {angle};
  return model;
}

/// Links of 0.12 m with alternating axes, the first one free or, with `hangs`, hinged to the world.
inline SmallModel make_chain(int links, bool hangs) {
  SmallModel model;
  BodyId parent = kWorldBody;
  for (int i = 0; i < links; ++i) {
    const Vec3 offset = i > 0 ? Vec3(0.12, 0.0, 0.0) : Vec3(0.0, 0.0, hangs ? 2.0 : 0.2);
    const BodyId link =
        model.add_body(fmt::format("link{}", i), parent, {offset, Quat::Identity()}, 0.2, {1e-4, 3e-4, 3e-4});
    if (i == 0 && !hangs) {
      model.add_joint(link, JointType::kFree);
    } else {
      model.add_joint(link, JointType::kHinge, i % 2 == 0 ? Vec3::UnitY() : Vec3::UnitZ(), {-0.06, 0.0, 0.0})
          .initial_velocity = {0.5 * (i % 3 - 1)};
    }
    model.add_shape(link, Box{{0.1, 0.05, 0.05}});
    parent = link;
  }
  return model;
}

/// A disc of 1 kg with moments of 0.0025 and 0.005 kg m^2 that flies freely without weight, its centre of mass
/// at rest and `center` from its origin.
inline SmallModel make_flying_disc(const Vec3& spin, const Vec3& center = Vec3::Zero()) {
  SmallModel model;
  model.model.gravity.setZero();
  const BodyId disc = model.add_body("disc", kWorldBody, {}, 1.0, {0.0025, 0.0025, 0.005}, center);
  const Vec3 v = center.cross(spin);
  model.add_joint(disc, JointType::kFree).initial_velocity = {v.x(),    v.y(),    v.z(),
                                                              spin.x(), spin.y(), spin.z()};
  return model;
}

/// Links of 0.1 m on ball joints that hang down from a slope, with a load at the end; the first one spins.
inline SmallModel make_ball_chain(int links, double load, double spin) {
  SmallModel model;
  BodyId parent = kWorldBody;
  for (int i = 0; i < links; ++i) {
    const bool last = i + 1 == links;
    const Pose X =
        i == 0 ? Pose{Vec3::Zero(), turn(0.5, Vec3::UnitX())} : Pose{{0.0, 0.0, -0.1}, Quat::Identity()};
    parent =
        model.add_body(fmt::format("link{}", i), parent, X, last ? load : 0.05,
                       last ? Vec3(Vec3::Constant(1e-3 * load)) : Vec3(5e-5, 5e-5, 5e-6), {0.0, 0.0, -0.05});
    model.add_joint(parent, JointType::kBall).initial_velocity = {0.3, 0.1, i == 0 ? spin : 0.0};
  }
  return model;
}

/// Crank, coupler and rocker (0.5, 1 and 0.5 m, 1 kg each) on a base of 1 m, closed by a hinge about y.
inline SmallModel make_four_bar(LoopType type = LoopType::kHinge, double crank_angle = 0.3) {
  SmallModel model;
  const Vec3 y = Vec3::UnitY();
  const BodyId crank = model.add_body("crank", kWorldBody, {}, 1.0, {0.02, 0.02, 0.001}, {0.0, 0.0, 0.25});
  model.add_joint(crank, JointType::kHinge, y).initial_position = {crank_angle};
  const BodyId coupler = model.add_body("coupler", crank, {{0.0, 0.0, 0.5}, Quat::Identity()}, 1.0,
                                        {0.001, 0.08, 0.08}, {0.5, 0.0, 0.0});
  model.add_joint(coupler, JointType::kHinge, y).initial_position = {-crank_angle};
  const BodyId rocker = model.add_body("rocker", kWorldBody, {{1.0, 0.0, 0.0}, Quat::Identity()}, 1.0,
                                       {0.02, 0.02, 0.001}, {0.0, 0.0, 0.25});
  model.add_joint(rocker, JointType::kHinge, y).initial_position = {crank_angle};
  const Quat z_to_y = turn(-std::numbers::pi / 2.0, Vec3::UnitX());
  const SiteId a = model.add_site(coupler, {{1.0, 0.0, 0.0}, z_to_y});
  const SiteId b = model.add_site(rocker, {{0.0, 0.0, 0.5}, z_to_y});
  model.model.loops.push_back({"loop", type, a, b});
  return model;
}

}  // namespace lockstep
