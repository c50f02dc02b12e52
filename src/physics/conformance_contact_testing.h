#pragma once

#include "physics/conformance_testing.h"

/// Contacts and ray casts.
namespace lockstep {

/// A block of 1 kg on a plane that slopes down towards +x by `slope`, rad.
inline SmallModel make_block_on_slope(double slope, double friction) {
  SmallModel model;
  const MaterialId material = model.add_material("block", {.friction = friction});
  const Quat tilt = turn(slope, Vec3::UnitY());
  model.add_shape(kWorldBody, PlaneGeometry{}, material, {Vec3::Zero(), tilt});
  model.add_box("block", {tilt * Vec3(0.0, 0.0, 0.1), tilt}, {0.4, 0.4, 0.2}, 1.0, material);
  return model;
}

TEST_P(Conformance, ABlockStaysOnASlopeBelowTheFrictionAngle) {
  const auto world = make_world(make_block_on_slope(0.3, 0.5));  // tan 0.3 = 0.31
  run(*world, 1.0);
  const Vec3 settled = world->body_pose(BodyId{1}).p;
  run(*world, 2.0);
  constexpr double kCreep = 1e-4;  // m/s
  EXPECT_LT((world->body_pose(BodyId{1}).p - settled).norm() / 2.0, kCreep);
}

TEST_P(Conformance, ABlockSlidesDownASteepSlopeByCoulombsLaw) {
  const double slope = 0.6, friction = 0.4;
  const auto world = make_world(make_block_on_slope(slope, friction));
  run(*world, 1.0);
  const double acceleration = kGravity * (std::sin(slope) - friction * std::cos(slope));
  EXPECT_NEAR(world->body_velocity(BodyId{1}).linear.norm(), acceleration, 0.01 * acceleration);
}

TEST_P(Conformance, ASlidingBlockStopsAfterSpeedSquaredOverTwiceFrictionTimesGravity) {
  SmallModel model = make_block_on_slope(0.0, 0.3);
  model.model.joints[0].initial_velocity = {2.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const auto world = make_world(model);
  run(*world, 2.0);
  EXPECT_NEAR(world->body_pose(BodyId{1}).p.x(), 2.0 * 2.0 / (2.0 * 0.3 * kGravity), 0.01);
  EXPECT_LT(world->body_velocity(BodyId{1}).linear.norm(), 1e-3);
}

TEST_P(Conformance, ABallRollsDownASlopeWithFiveSeventhsOfGravity) {
  const double slope = 0.2;
  SmallModel model;
  const Quat tilt = turn(slope, Vec3::UnitY());
  model.add_shape(kWorldBody, PlaneGeometry{}, {}, {Vec3::Zero(), tilt});
  const BodyId ball = model.add_ball("ball", tilt * Vec3(0.0, 0.0, 0.1), 0.1, 1.0);
  const auto world = make_world(model);
  run(*world, 1.0);
  const double speed = 5.0 / 7.0 * kGravity * std::sin(slope);
  EXPECT_NEAR(world->body_velocity(ball).linear.norm(), speed, 0.005 * speed);
  EXPECT_NEAR(world->body_velocity(ball).angular.y(), speed / 0.1, 0.005 * speed / 0.1);
}

TEST_P(Conformance, RollingFrictionBrakesARollingBall) {
  LOCKSTEP_NEEDS(rolling_friction);
  SmallModel model;
  const MaterialId rubber = model.add_material("rubber", {.friction = 0.8, .rolling_friction = 0.002});
  model.add_ground(rubber);
  const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.1}, 0.1, 1.0, rubber);
  model.model.joints[0].initial_velocity = {1.0, 0.0, 0.0, 0.0, 10.0, 0.0};
  const auto world = make_world(model);
  run(*world, 2.0);
  EXPECT_NEAR(world->body_velocity(ball).linear.x(), 1.0 - 2.0 * 5.0 / 7.0 * kGravity * 0.002 / 0.1, 0.01);
}

TEST_P(Conformance, TorsionalFrictionBrakesASpinningBall) {
  LOCKSTEP_NEEDS(rolling_friction);
  SmallModel model;
  const MaterialId felt = model.add_material("felt", {.friction = 0.8, .torsional_friction = 0.001});
  model.add_ground(felt);
  const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.1}, 0.1, 1.0, felt);
  model.model.joints[0].initial_velocity = {0.0, 0.0, 0.0, 0.0, 0.0, 10.0};
  const auto world = make_world(model);
  run(*world, 2.0);
  EXPECT_NEAR(world->body_velocity(ball).angular.z(), 10.0 - 2.0 * 0.001 * kGravity / (0.4 * 0.01), 0.1);
}

TEST_P(Conformance, AStackOfBoxesComesToRestAndStaysThere) {
  SmallModel model;
  model.add_ground();
  for (int i = 0; i < 5; ++i)
    model.add_box(fmt::format("box{}", i), {{0.0, 0.0, 0.1 + 0.2 * i}, Quat::Identity()}, {0.3, 0.3, 0.2}, 1.0);
  const auto world = make_world(model);
  run(*world, 5.0);
  const Pose top = world->body_pose(BodyId{5});
  EXPECT_LT((top.p - Vec3(0.0, 0.0, 0.9)).norm(), 1e-3);
  EXPECT_LT(world->body_velocity(BodyId{5}).linear.norm(), 1e-3);
}

TEST_P(Conformance, ATowerOfBricksDoesNotTremble) {
  constexpr int kBricks = 15;
  SmallModel model;
  model.add_ground();
  for (int i = 0; i < kBricks; ++i) {
    model.add_box(fmt::format("brick{}", i), {{0.01 * (i % 2), 0.0, 0.0325 + 0.065 * i}, Quat::Identity()},
                  {0.24, 0.115, 0.065}, 3.4);
  }
  const auto world = make_world(model);
  run(*world, 2.0);
  double fastest = 0.0;
  run(*world, 1.0, [&] {
    for (int i = 1; i <= kBricks; ++i)
      fastest = std::max(fastest, world->body_velocity(BodyId{i}).linear.norm());
  });
  EXPECT_LT(fastest, 2e-4);
}

TEST_P(Conformance, ABallBouncesToTheSquareOfItsRestitution) {
  LOCKSTEP_NEEDS(restitution);
  for (const double e : {0.3, 0.5, 0.8, 1.0}) {
    for (const double height : {0.2, 0.45, 1.0}) {
      SmallModel model;
      const MaterialId rubber = model.add_material("rubber", {.friction = 0.5, .restitution = e});
      model.add_ground(rubber);
      const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.1 + height}, 0.1, 1.0, rubber);
      const auto world = make_world(model);
      double reached = 0.0;
      bool rises = false;
      run(*world, std::sqrt(2.0 * height / kGravity) * (1.0 + 1.9 * e), [&] {
        rises |= world->body_velocity(ball).linear.z() > 0.0;
        if (rises) reached = std::max(reached, world->body_pose(ball).p.z() - 0.1);
      });
      EXPECT_NEAR(reached / height, e * e, 0.05 * e * e) << "e " << e << " from " << height;
    }
  }
}

TEST_P(Conformance, AFlatBoxBouncesOnAllCornersAtOnce) {
  LOCKSTEP_NEEDS(restitution);
  SmallModel model;
  const MaterialId rubber = model.add_material("rubber", {.friction = 0.5, .restitution = 0.5});
  model.add_ground(rubber);
  const BodyId box = model.add_box("box", {{0.0, 0.0, 0.5}, Quat::Identity()}, {0.4, 0.3, 0.2}, 2.0, rubber);
  const auto world = make_world(model);
  double fastest = 0.0;
  run(*world, 0.5, [&] { fastest = std::max(fastest, world->body_velocity(box).linear.z()); });
  EXPECT_NEAR(fastest, 0.5 * std::sqrt(2.0 * kGravity * 0.4), 0.05);
  EXPECT_LT(world->body_velocity(box).angular.norm(), 1e-6);
}

/// Balls of 0.2 m that touch each other in a row along x, without gravity and friction.
inline SmallModel make_row(const std::vector<double>& masses, double restitution) {
  SmallModel model;
  model.model.gravity.setZero();
  const MaterialId steel = model.add_material("steel", {.friction = 0.0, .restitution = restitution});
  for (std::size_t i = 0; i < masses.size(); ++i)
    model.add_ball(fmt::format("ball{}", i), {0.2 * static_cast<double>(i), 0.0, 0.0}, 0.1, masses[i], steel);
  return model;
}

/// Moves the first balls of a row to the left and gives them 3 m/s.
inline void strike(SmallModel& model, std::size_t balls) {
  for (std::size_t i = 0; i < balls; ++i) {
    model.model.bodies[i + 1].X_PB.p.x() -= 0.1234;
    model.model.joints[i].initial_position[0] -= 0.1234;
    model.model.joints[i].initial_velocity[0] = 3.0;
  }
}

/// Tolerance of velocities after an impact with exact masses and velocities.
constexpr double kExactImpact = 1e-5;  // m/s

TEST_P(Conformance, OneTwoAndThreeBallsIntoARowOfFiveComeOutAsMany) {
  LOCKSTEP_NEEDS(restitution);
  for (const Integrator integrator : capabilities().integrators) {
    for (std::size_t in = 1; in <= 3; ++in) {
      SmallModel model = make_row({1.0, 1.0, 1.0, 1.0, 1.0}, 1.0);
      model.model.engine.integrator = integrator;
      strike(model, in);
      const auto world = make_world(model);
      run(*world, 0.2);
      for (std::size_t i = 0; i < 5; ++i) {
        const double speed = world->body_velocity(BodyId{static_cast<int>(i) + 1}).linear.x();
        EXPECT_NEAR(speed, i < 5 - in ? 0.0 : 3.0, kExactImpact) << "ball " << i << " of " << in;
      }
    }
  }
}

TEST_P(Conformance, AnImpactGoesThroughARowOfBallsPairByPair) {
  LOCKSTEP_NEEDS(restitution);
  for (const std::vector<double>& masses : {std::vector{5.0, 1.0, 10.0}, {1.0, 0.2, 3.0, 0.5}}) {
    for (const double e : {0.5, 0.9, 1.0}) {
      // Each approaching pair exchanges (1 + e) times the impulse that would stop its relative motion.
      std::vector<double> speeds(masses.size(), 0.0);
      speeds[0] = 3.0;
      for (int round = 0; round < 1000; ++round) {
        for (std::size_t i = 0; i + 1 < masses.size(); ++i) {
          const double approach = speeds[i] - speeds[i + 1];
          if (approach < 1e-12) continue;
          const double impulse = (1.0 + e) * approach / (1.0 / masses[i] + 1.0 / masses[i + 1]);
          speeds[i] -= impulse / masses[i];
          speeds[i + 1] += impulse / masses[i + 1];
        }
      }
      for (const Integrator integrator : capabilities().integrators) {
        SmallModel model = make_row(masses, e);
        model.model.engine.integrator = integrator;
        strike(model, 1);
        const auto world = make_world(model);
        run(*world, 0.2);
        for (std::size_t i = 0; i < masses.size(); ++i) {
          EXPECT_NEAR(world->body_velocity(BodyId{static_cast<int>(i) + 1}).linear.x(), speeds[i], kExactImpact)
              << "ball " << i << ", e " << e;
        }
      }
    }
  }
}

TEST_P(Conformance, ABallThatHitsObliquelyLeavesByTheLawsOfNewtonAndCoulomb) {
  LOCKSTEP_NEEDS(restitution);
  for (const Integrator integrator : capabilities().integrators) {
    for (const double friction : {0.0, 0.1, 0.15, 0.5, 1.0}) {
      SmallModel model;
      model.model.gravity.setZero();
      model.model.engine.integrator = integrator;
      const MaterialId rubber = model.add_material("rubber", {.friction = friction, .restitution = 0.8});
      model.add_ground(rubber);
      const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.2}, 0.1, 1.0, rubber);
      model.model.joints[0].initial_velocity = {3.0, 0.0, -3.0, 0.0, 0.0, 0.0};
      const auto world = make_world(model);
      run(*world, 0.1);
      // It slides during the whole impact, or rolls when it separates.
      const double speed = std::max(3.0 - friction * 1.8 * 3.0, 5.0 / 7.0 * 3.0);
      EXPECT_NEAR(world->body_velocity(ball).linear.x(), speed, 1e-4) << friction;
      EXPECT_NEAR(world->body_velocity(ball).linear.z(), 0.8 * 3.0, 1e-4) << friction;
    }
  }
}

TEST_P(Conformance, ABallBouncesOffABoxOnTheGroundAsOffTheGround) {
  LOCKSTEP_NEEDS(restitution);
  SmallModel model;
  const MaterialId rubber = model.add_material("rubber", {.friction = 0.5, .restitution = 0.8});
  model.add_ground();
  model.set_contact(rubber, MaterialId{0}, {.friction = 0.5});
  model.add_box("box", {{0.0, 0.0, 0.05}, Quat::Identity()}, {0.3, 0.3, 0.1}, 0.2, rubber);
  const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.7}, 0.1, 1.0, rubber);
  const auto world = make_world(model);
  double fastest = 0.0;
  run(*world, 0.6, [&] { fastest = std::max(fastest, world->body_velocity(ball).linear.z()); });
  EXPECT_NEAR(fastest, 0.8 * std::sqrt(2.0 * kGravity * 0.5), 0.02);
}

TEST_P(Conformance, ATiltedBoxThatLosesNothingInABounceNeverGainsEnergy) {
  LOCKSTEP_NEEDS(restitution);
  constexpr double kOfItsEnergy = 1e-3;
  for (const Integrator integrator : capabilities().integrators) {
    for (const double friction : {0.0, 0.5}) {
      SmallModel model;
      model.model.engine.integrator = integrator;
      const MaterialId rubber = model.add_material("rubber", {.friction = friction, .restitution = 1.0});
      model.add_ground(rubber);
      model.add_box("box", {{0.0, 0.0, 0.6}, turn(0.3, {0.6, 0.8, 0.0})}, {0.2, 0.3, 0.4}, 1.0, rubber);
      const auto world = make_world(model);
      const double before = world->report({.energy = true}).energy.total();
      double largest = before;
      run(*world, 5.0, [&] { largest = std::max(largest, world->report({.energy = true}).energy.total()); });
      EXPECT_LT(largest, (1.0 + kOfItsEnergy) * before) << friction;
    }
  }
}

TEST_P(Conformance, ABodyWithoutRestitutionStopsWhereItHits) {
  for (const Integrator integrator : capabilities().integrators) {
    for (const double gravity : {0.0, kGravity}) {
      for (const double speed : {0.5, 1.0, 2.0, 4.0}) {
        SmallModel model;
        model.model.gravity.z() = -gravity;
        model.model.engine.integrator = integrator;
        model.add_ground();
        const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.1009}, 0.1, 1.0);
        model.model.joints[0].initial_velocity[2] = -speed;
        const auto world = make_world(model);
        run(*world, 0.5, [&] {
          EXPECT_LT(world->body_velocity(ball).linear.z(), 1e-3 * speed);
          EXPECT_LT(world->body_pose(ball).p.z(), 0.1009);
        });
        EXPECT_NEAR(world->body_pose(ball).p.z(), 0.1, 1e-5);
      }
    }
  }
}

TEST_P(Conformance, ABallWithoutRestitutionStaysDown) {
  SmallModel model;
  model.model.engine.contact_damping_ratio = 2.0;
  model.add_ground();
  const BodyId ball = model.add_ball("ball", {0.0, 0.0, 1.1}, 0.1, 1.0);
  const auto world = make_world(model);
  run(*world, 0.5);
  run(*world, 0.5, [&] { EXPECT_LT(world->body_pose(ball).p.z(), 0.1001); });
}

TEST_P(Conformance, ABodyAtRestSinksByItsWeightOverTheStiffness) {
  for (const double mass : {0.5, 5.0}) {
    SmallModel model;
    const MaterialId foam = model.add_material("foam", {.friction = 0.8, .stiffness = 2e4});
    model.add_ground(foam);
    const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.5}, 0.5, mass, foam);
    const auto world = make_world(model);
    run(*world, 3.0);
    EXPECT_NEAR(0.5 - world->body_pose(ball).p.z(), mass * kGravity / 2e4, 0.01 * mass * kGravity / 2e4);
  }
}

TEST_P(Conformance, AContactWithStiffnessStopsAFallLikeASpring) {
  SmallModel model;
  const MaterialId foam = model.add_material("foam", {.friction = 0.0, .restitution = 0.95, .stiffness = 1e4});
  model.add_ground(foam);
  const BodyId ball = model.add_ball("ball", {0.0, 0.0, 0.8}, 0.5, 0.5, foam);
  const auto world = make_world(model);
  double lowest = 1.0;
  run(*world, 0.4, [&] { lowest = std::min(lowest, world->body_pose(ball).p.z()); });
  const double depth = std::sqrt(2.0 * kGravity * 0.3 * 0.5 / 1e4);  // all energy in the spring
  EXPECT_NEAR(0.5 - lowest, depth, 0.1 * depth);
}

TEST_P(Conformance, APairOfMaterialsHasItsOwnFriction) {
  SmallModel model;
  const MaterialId steel = model.add_material("steel", {.friction = 0.8});
  const MaterialId ice = model.add_material("ice", {.friction = 0.6});
  model.set_contact(steel, ice, {.friction = 0.02});
  model.add_ground(ice);
  model.add_box("steel", {{0.0, 0.0, 0.1}, Quat::Identity()}, {0.4, 0.4, 0.2}, 1.0, steel);
  model.add_box("ice", {{0.0, 2.0, 0.1}, Quat::Identity()}, {0.4, 0.4, 0.2}, 1.0, ice);
  for (JointModel& joint : model.model.joints) joint.initial_velocity[0] = 1.0;
  const auto world = make_world(model);
  run(*world, 0.5);
  EXPECT_NEAR(world->body_velocity(BodyId{1}).linear.x(), 1.0 - 0.5 * 0.02 * kGravity, 0.01);
  EXPECT_LT(world->body_velocity(BodyId{2}).linear.norm(), 1e-3);
}

TEST_P(Conformance, NonCollidingMaterialsAndExcludedPairsPassThroughEachOther) {
  SmallModel model;
  const MaterialId ghost = model.add_material("ghost");
  model.set_contact(ghost, MaterialId{0}, {.collide = false});
  const BodyId table = model.add_body("table", kWorldBody, {{0.0, 0.0, 0.4}, Quat::Identity()});
  model.add_shape(table, Box{{4.0, 4.0, 0.2}});
  const BodyId falls = model.add_ball("ghost", {0.0, 0.0, 1.0}, 0.1, 1.0, ghost);
  const BodyId excluded = model.add_ball("excluded", {1.0, 0.0, 1.0}, 0.1, 1.0);
  const BodyId lies = model.add_ball("lies", {-1.0, 0.0, 1.0}, 0.1, 1.0);
  model.model.excluded.emplace_back(excluded, table);
  const auto world = make_world(model);
  run(*world, 0.8);
  EXPECT_LT(world->body_pose(falls).p.z(), -1.0);
  EXPECT_LT(world->body_pose(excluded).p.z(), -1.0);
  EXPECT_NEAR(world->body_pose(lies).p.z(), 0.6, 0.05);
}

TEST_P(Conformance, ALinkNeverCollidesWithItsParentEvenIfThatIsStatic) {
  SmallModel model;
  const BodyId base = model.add_body("base", kWorldBody, {});
  const BodyId link = model.add_body("link", base, {}, 1.0, Vec3::Constant(0.01));
  model.add_joint(link, JointType::kHinge).initial_velocity = {1.0};
  for (const BodyId body : {base, link}) model.add_shape(body, Box{{0.2, 0.2, 0.2}});
  const auto world = make_world(model);
  run(*world, 1.0);
  EXPECT_NEAR(world->joint_position(JointId{0})[0], 1.0, 1e-9);
}

TEST_P(Conformance, ContactForcesCarryTheWeight) {
  LOCKSTEP_NEEDS(contact_forces);
  SmallModel model;
  const ShapeId ground = model.add_ground();
  model.add_box("box", {{0.0, 0.0, 0.1}, Quat::Identity()}, {0.4, 0.4, 0.2}, 3.0);
  const auto world = make_world(model);
  EXPECT_TRUE(world->contacts().empty());
  world->track({.contact_forces = true});
  run(*world, 1.0);
  Vec3 sum = Vec3::Zero();
  for (const ContactPoint& contact : world->contacts()) {
    const double towards_box = contact.a == ground ? 1.0 : -1.0;
    sum += towards_box * contact.force;
    EXPECT_NEAR(towards_box * contact.normal.z(), 1.0, 1e-9);
    EXPECT_NEAR(contact.position.z(), 0.0, 1e-3);
  }
  EXPECT_LT((sum - Vec3(0.0, 0.0, 3.0 * kGravity)).norm(), 1e-3);
}

/// A terrain of 8 m × 4 m that rises by 1 m along x and by 0.5 m along y.
inline ShapeId add_terrain(SmallModel& model) {
  Heightmap map{.rows = 9, .columns = 17, .heights = {}};
  for (std::size_t row = 0; row < map.rows; ++row) {
    for (std::size_t column = 0; column < map.columns; ++column) {
      map.heights.push_back(
          static_cast<float>(static_cast<double>(column) / 24.0 + static_cast<double>(row) / 24.0));
    }
  }
  model.model.heightmaps.push_back(map);
  return model.add_shape(kWorldBody, HeightmapGeometry{HeightmapId{0}, {8.0, 4.0, 1.5}}, {},
                         {{1.0, 2.0, 3.0}, Quat::Identity()});
}

TEST_P(Conformance, ARayHitsTheTerrainAtItsHeight) {
  LOCKSTEP_NEEDS(ray_casts);
  LOCKSTEP_NEEDS(height_fields);
  SmallModel model;
  const ShapeId terrain = add_terrain(model);
  const auto world = make_world(model);
  for (const auto& [x, y] : {std::pair{-2.9, 0.1}, {1.0, 2.0}, {4.9, 0.3}, {-1.3, 3.7}}) {
    const auto hit = world->cast_ray({x, y, 10.0}, -Vec3::UnitZ(), 100.0, {});
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->shape, terrain);
    EXPECT_NEAR(10.0 - hit->distance, 3.0 + (x + 3.0) / 8.0 + y / 4.0 * 0.5, 1e-5);
  }
}

TEST_P(Conformance, ABallRestsOnTheTerrain) {
  LOCKSTEP_NEEDS(height_fields);
  SmallModel model;
  add_terrain(model);
  std::fill(model.model.heightmaps[0].heights.begin(), model.model.heightmaps[0].heights.end(), 0.5f);
  const BodyId ball = model.add_ball("ball", {1.1, 2.2, 3.9}, 0.1, 1.0);
  const auto world = make_world(model);
  run(*world, 1.0);
  EXPECT_NEAR(world->body_pose(ball).p.z(), 3.0 + 0.75 + 0.1, 1e-3);
}

/// A box as a mesh, its origin at a corner.
inline Mesh make_box_mesh(const Vec3& size) {
  Mesh mesh;
  for (unsigned i = 0; i < 8; ++i)
    mesh.vertices.emplace_back((i & 1u) * size.x(), (i >> 1u & 1u) * size.y(), (i >> 2u) * size.z());
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

TEST_P(Conformance, ABoxMadeOfTrianglesLandsLikeABox) {
  LOCKSTEP_NEEDS(meshes);
  SmallModel model;
  model.add_ground();
  const Pose start{{0.0, 0.0, 0.3}, turn(0.2, Vec3::UnitZ())};
  const Vec3 size(0.4, 0.3, 0.2);
  const BodyId box = model.add_box("box", start, size, 1.0);
  const BodyId mesh = model.add_box("mesh", start * Pose{{2.0, 0.0, 0.0}, Quat::Identity()}, size, 1.0);
  model.model.meshes.push_back(make_box_mesh(size));
  model.model.shapes.back().geometry = MeshGeometry{MeshId{0}};
  model.model.shapes.back().X_BS.p = -size / 2.0;
  const auto world = make_world(model);
  run(*world, 2.0);
  EXPECT_NEAR(world->body_pose(box).p.z(), 0.1, 1e-3);
  EXPECT_NEAR(world->body_pose(mesh).p.z(), world->body_pose(box).p.z(), 1e-3);
  EXPECT_GT(std::abs(world->body_pose(mesh).q.dot(start.q)), 0.9999);
}

TEST_P(Conformance, RaysHitEveryKindOfShapeAtItsSurface) {
  LOCKSTEP_NEEDS(ray_casts);
  LOCKSTEP_NEEDS(meshes);
  SmallModel model;
  model.add_ground();
  model.model.meshes.push_back(make_box_mesh({1.0, 1.0, 1.0}));
  const std::vector<std::pair<ShapeGeometry, double>> shapes = {{Box{{1.0, 1.0, 0.4}}, 0.2},
                                                                {Sphere{0.3}, 0.3},
                                                                {Capsule{0.1, 0.4}, 0.3},
                                                                {Cylinder{0.2, 0.5}, 0.25},
                                                                {MeshGeometry{}, 1.0}};
  double x = 0.0;
  for (const auto& [geometry, top] : shapes) {
    const BodyId body = model.add_body(fmt::format("at{}", x), kWorldBody, {{x, 0.0, 5.0}, Quat::Identity()});
    model.add_shape(body, geometry);
    x += 10.0;
  }
  const auto world = make_world(model);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Vec3 from(10.0 * static_cast<double>(i) + 0.001, 0.002, 9.0);
    const auto hit = world->cast_ray(from, -Vec3::UnitZ(), 100.0, {});
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(index(hit->shape), i + 1);
    EXPECT_NEAR(hit->distance, 9.0 - 5.0 - shapes[i].second, 1e-4);
    const auto ground =
        world->cast_ray(from, -Vec3::UnitZ(), 100.0, std::array{BodyId{static_cast<int>(i) + 1}});
    ASSERT_TRUE(ground.has_value());
    EXPECT_NEAR(ground->distance, 9.0, 1e-12);
    EXPECT_FALSE(world->cast_ray(from, -Vec3::UnitZ(), 1.0, {}).has_value());
    EXPECT_FALSE(world->cast_ray(from, Vec3::UnitZ(), 100.0, {}).has_value());
  }
}

TEST_P(Conformance, ARayFromInsideIgnoredBodiesHitsTheNextBody) {
  LOCKSTEP_NEEDS(ray_casts);
  SmallModel model;
  std::vector<BodyId> bodies;
  for (const double x : {0.0, 0.5, 2.0, 3.0}) {
    bodies.push_back(model.add_body(fmt::format("at{}", x), kWorldBody, {{x, 0.0, 0.0}, Quat::Identity()}));
    model.add_shape(bodies.back(), Box{{0.4, 0.4, 0.4}});
  }
  const auto world = make_world(model);
  const auto distance = [&](std::size_t ignored, double range) {
    const auto hit = world->cast_ray(Vec3::Zero(), Vec3::UnitX(), range, std::span(bodies).first(ignored));
    return hit ? hit->distance : -1.0;
  };
  EXPECT_NEAR(distance(0, 10.0), 0.2, 1e-12);  // from inside, it hits the far surface
  EXPECT_NEAR(distance(1, 10.0), 0.3, 1e-12);
  EXPECT_NEAR(distance(2, 10.0), 1.8, 1e-12);
  EXPECT_NEAR(distance(3, 10.0), 2.8, 1e-12);
  EXPECT_EQ(distance(4, 10.0), -1.0);
  EXPECT_EQ(distance(2, 1.7), -1.0);
}

TEST_P(Conformance, NoRayPassesBetweenTheTrianglesOfATerrainOrAMesh) {
  LOCKSTEP_NEEDS(ray_casts);
  LOCKSTEP_NEEDS(height_fields);
  LOCKSTEP_NEEDS(meshes);
  SmallModel model;
  add_terrain(model);
  model.model.meshes.push_back(make_box_mesh({1.0, 1.0, 1.0}));
  const BodyId box = model.add_body("box", kWorldBody, {{20.0, 0.0, 0.0}, Quat::Identity()});
  model.add_shape(box, MeshGeometry{});
  const auto world = make_world(model);
  // Along a line of the grid, over the middle of the terrain.
  for (int i = 0; i <= 1000; ++i) {
    const double x = -3.5 + 0.007 * i;
    const auto hit = world->cast_ray({1.0 + x, 2.0, 10.0}, -Vec3::UnitZ(), 20.0, {});
    ASSERT_TRUE(hit.has_value()) << x;
    EXPECT_NEAR(10.0 - hit->distance, 3.25 + (x + 4.0) / 8.0, 1e-5) << x;
  }
  // Along both diagonals of a face.
  for (int i = 0; i <= 1000; ++i) {
    const double along = -0.45 + 0.0009 * i;
    for (const double across : {along, -along, 0.0}) {
      const auto hit = world->cast_ray({20.5 + along, 0.5 + across, 5.0}, -Vec3::UnitZ(), 20.0, {});
      ASSERT_TRUE(hit.has_value()) << along;
      EXPECT_NEAR(hit->distance, 4.0, 1e-6) << along;
    }
  }
}

TEST_P(Conformance, TheBordersAndCornersOfATerrainBelongToIt) {
  LOCKSTEP_NEEDS(ray_casts);
  LOCKSTEP_NEEDS(height_fields);
  SmallModel model;
  add_terrain(model);
  const auto world = make_world(model);
  const auto expect_hit = [&](double x, double y) {
    const auto hit = world->cast_ray({1.0 + x, 2.0 + y, 10.0}, -Vec3::UnitZ(), 20.0, {});
    ASSERT_TRUE(hit.has_value()) << x << " " << y;
    EXPECT_NEAR(10.0 - hit->distance, 3.25 + (x + 4.0) / 8.0 + y / 8.0, 1e-5) << x << " " << y;
  };
  for (const double side : {-1.0, 1.0}) {
    for (int i = -100; i <= 100; ++i) {  // from corner to corner
      expect_hit(side * 4.0, 0.02 * i);
      expect_hit(0.04 * i, side * 2.0);
    }
  }
  for (const auto& [x, y] : {std::pair{4.001, 0.0}, {-4.001, 0.0}, {0.0, 2.001}, {0.0, -2.001}})
    EXPECT_FALSE(world->cast_ray({1.0 + x, 2.0 + y, 10.0}, -Vec3::UnitZ(), 20.0, {}).has_value())
        << x << " " << y;
}

TEST_P(Conformance, RaysPassThroughShapesThatDoNotCollide) {
  LOCKSTEP_NEEDS(ray_casts);
  SmallModel model;
  model.add_ground();
  const BodyId body = model.add_body("veil", kWorldBody, {{0.0, 0.0, 1.0}, Quat::Identity()});
  model.add_shape(body, Box{});
  model.model.shapes.back().collide = false;
  EXPECT_NEAR(make_world(model)->cast_ray({0.0, 0.0, 3.0}, -Vec3::UnitZ(), 10.0, {})->distance, 3.0, 1e-12);
}

}  // namespace lockstep
