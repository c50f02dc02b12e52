#include "physics/mujoco/joined_shapes.h"

#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "physics/conformance_testing.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/options.h"

namespace lockstep {
namespace {

constexpr double kLength = 0.2, kWidth = 0.1;  // of each half of the bar, m
constexpr double kHalfMass = 0.5;              // kg

/// A bar of two bodies that are fixed to each other. The rear one is turned about the bar's axis and about z.
struct Bar {
  SmallModel model;
  BodyId front, rear;
  ShapeId front_shape{}, rear_shape{};
};

Bar make_bar(double gap = 0.0, MaterialId rear_material = {}, JointType lock = JointType::kFixed) {
  Bar bar;
  bar.model.add_material("other");
  bar.model.add_ground();
  const Vec3 inertia =
      kHalfMass / 12.0 *
      Vec3(2.0 * kWidth * kWidth, kLength * kLength + kWidth * kWidth, kLength * kLength + kWidth * kWidth);
  bar.front =
      bar.model.add_body("front", kWorldBody, {{0.0, 0.0, kWidth / 2.0}, Quat::Identity()}, kHalfMass, inertia);
  bar.model.add_joint(bar.front, JointType::kFree);
  bar.front_shape = bar.model.add_shape(bar.front, Box{{kLength, kWidth, kWidth}});
  const Quat turn(Eigen::AngleAxisd(std::numbers::pi / 2.0, Vec3::UnitZ()));
  bar.rear = bar.model.add_body("rear", bar.front, {{-kLength - gap, 0.0, 0.0}, turn}, kHalfMass,
                                {inertia.y(), inertia.x(), inertia.z()});
  bar.model.add_joint(bar.rear, lock);
  bar.rear_shape = bar.model.add_shape(bar.rear, Box{{kWidth, kLength, kWidth}}, rear_material);
  return bar;
}

std::size_t count_shapes(const Bar& bar, const MujocoOptions& options = {}) {
  return join_shapes(bar.model.model, options).size() - 1;  // without the ground
}

TEST(JoinedShapes, TwoHalvesOfABarAreOneBox) {
  const Bar bar = make_bar();
  const std::vector<CollisionShape> shapes = join_shapes(bar.model.model, {});
  ASSERT_EQ(shapes.size(), 2u);
  const CollisionShape& joined = shapes[1];
  EXPECT_EQ(joined.shape, bar.front_shape);
  EXPECT_LT((std::get<Box>(joined.geometry).size - Vec3(2.0 * kLength, kWidth, kWidth)).norm(), 1e-12);
  EXPECT_LT((joined.X_BS.p - Vec3(-kLength / 2.0, 0.0, 0.0)).norm(), 1e-12);
  EXPECT_EQ(find_nearest_part(joined.parts, {0.15, 0.0, 0.1}), bar.front_shape);
  EXPECT_EQ(find_nearest_part(joined.parts, {-0.05, 0.2, 0.0}), bar.rear_shape);
}

TEST(JoinedShapes, OthersStayAsTheyAre) {
  EXPECT_EQ(count_shapes(make_bar(1e-6)), 2u);                        // a gap
  EXPECT_EQ(count_shapes(make_bar(0.0, MaterialId{1})), 2u);          // two materials
  EXPECT_EQ(count_shapes(make_bar(0.0, {}, JointType::kHinge)), 2u);  // they move
  EXPECT_EQ(count_shapes(make_bar(), {.level_sliding = false}), 2u);  // as in MuJoCo
  Bar detachable = make_bar();
  detachable.model.model.joints.back().detachable = true;
  EXPECT_EQ(count_shapes(detachable), 2u);
  Bar thicker = make_bar();
  thicker.model.model.shapes.back().geometry = Box{{kWidth, kLength, 1.01 * kWidth}};
  EXPECT_EQ(count_shapes(thicker), 2u);
  Bar bent = make_bar();
  bent.model.model.shapes.back().X_BS.q = Quat(Eigen::AngleAxisd(1e-4, Vec3::UnitX()));
  EXPECT_EQ(count_shapes(bent), 2u);
  Bar excluded = make_bar();
  const BodyId ball = excluded.model.add_ball("ball", {1.0, 0.0, 1.0}, 0.1, 1.0);
  excluded.model.model.excluded = {{excluded.rear, ball}};
  EXPECT_EQ(count_shapes(excluded), 3u);
}

TEST(JoinedShapes, ABoxInsideAnotherIsPartOfIt) {
  Bar bar = make_bar();
  bar.model.add_shape(bar.rear, Box{{0.01, 0.02, 0.03}}, {}, {{0.01, 0.02, 0.0}, Quat::Identity()});
  EXPECT_EQ(count_shapes(bar), 1u);
}

TEST(JoinedShapes, ABarRestsOnFourCornersAndEachHalfCarriesHalfOfTheWeight) {
  const Bar bar = make_bar();
  const auto world = MujocoEngine().make_world(bar.model.share());
  world->track({.joint_reactions = true});
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(world->step().ok());
  ASSERT_EQ(world->contacts().size(), 4u);
  double front = 0.0, rear = 0.0;
  for (const ContactPoint& contact : world->contacts()) {
    EXPECT_TRUE(contact.b == bar.front_shape || contact.b == bar.rear_shape);
    (contact.b == bar.front_shape ? front : rear) += contact.force.z();
  }
  constexpr double kForce = 1e-3;  // N
  EXPECT_NEAR(front, kHalfMass * 9.81, kForce);
  EXPECT_NEAR(rear, kHalfMass * 9.81, kForce);
  // The rear half stands on its outer edge: the lock carries no weight, but keeps it from tipping over.
  const JointReaction lock = world->joint_reaction(JointId{1});
  EXPECT_LT(lock.force.norm(), kForce);
  EXPECT_NEAR(lock.torque.norm(), kHalfMass * 9.81 * kLength / 2.0, kForce);
}

TEST(JoinedShapes, ABarSlidesAsFarAsItsFrictionAllows) {
  constexpr double kSpeed = 1.0, kFriction = 0.4;
  for (const double gap : {0.0, 1e-6}) {  // joined, and not
    Bar bar = make_bar(gap);
    bar.model.set_contact(MaterialId{0}, MaterialId{0}, {.friction = kFriction});
    bar.model.model.joints[0].initial_velocity[0] = kSpeed;
    const auto world = MujocoEngine().make_world(bar.model.share());
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(world->step().ok());
    const double expected = kSpeed * kSpeed / (2.0 * kFriction * 9.81);
    EXPECT_NEAR(world->body_pose(bar.front).p.x(), expected, 0.01 * expected) << gap;
  }
}

TEST(JoinedShapes, RaysHitTheShapesOfTheModel) {
  const Bar bar = make_bar();
  const auto world = MujocoEngine().make_world(bar.model.share());
  const Vec3 down = -Vec3::UnitZ();
  const auto front = world->cast_ray({0.05, 0.0, 1.0}, down, 2.0, {});
  const auto rear = world->cast_ray({-0.25, 0.0, 1.0}, down, 2.0, {});
  ASSERT_TRUE(front && rear);
  EXPECT_EQ(front->shape, bar.front_shape);
  EXPECT_EQ(rear->shape, bar.rear_shape);
  EXPECT_NEAR(rear->distance, 1.0 - kWidth, 1e-9);
  // Along the bar, through the half that is ignored.
  const std::array ignored = {bar.front};
  const auto behind = world->cast_ray({1.0, 0.0, 0.05}, -Vec3::UnitX(), 2.0, ignored);
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->shape, bar.rear_shape);
  EXPECT_NEAR(behind->distance, 1.0 + kLength / 2.0, 1e-9);
}

}  // namespace
}  // namespace lockstep
