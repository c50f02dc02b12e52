#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "physics/model_builder_testing.h"
#include "physics/mujoco/mujoco_engine.h"
#include "physics/mujoco/render/mujoco_renderer.h"

namespace lockstep {
namespace {

constexpr int kWidth = 200;
constexpr int kHeight = 150;
constexpr Color kRed = {0.9, 0.05, 0.05, 1.0};
constexpr Color kGreen = {0.05, 0.8, 0.05, 1.0};

/// A model with one static body.
struct OneBody : SmallModel {
  BodyId body;
  explicit OneBody(const Vec3& position) : body(add_body("thing", kWorldBody, {position, Quat::Identity()})) {}

  ShapeModel& add(const ShapeGeometry& geometry, const Color& color) {
    ShapeModel& shape = model.shapes[index(add_shape(body, geometry))];
    shape.color = color;
    return shape;
  }
};

std::unique_ptr<World> make_world(const SmallModel& small) {
  return MujocoEngine().make_world(small.share());
}

/// From the side of +x, 4 m away.
const OrbitCamera kFromTheFront{.target = Vec3::Zero(), .distance = 4.0, .azimuth = 0.0, .elevation = 0.0};

Image draw(const World& world, const OrbitCamera& camera = kFromTheFront, const SceneOptions& options = {}) {
  Result<std::unique_ptr<Renderer>> made = make_mujoco_renderer(world, kWidth, kHeight);
  EXPECT_TRUE(made.ok()) << made.error();
  Image image;
  if (made) (*made)->draw(world, camera, options, image);
  return image;
}

/// Pixels in which one colour (0 red, 1 green, 2 blue) is more than twice each other, and their middle.
struct Spot {
  int count = 0;
  double x = 0.0;
  double y = 0.0;
};
Spot find_spot(const Image& image, int color) {
  Spot spot;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::uint8_t* pixel = image.pixel(x, y);
      const int others = std::max(pixel[(color + 1) % 3], pixel[(color + 2) % 3]);
      if (pixel[color] <= 2 * others || pixel[color] < 40) continue;
      ++spot.count;
      spot.x += x + 0.5;
      spot.y += y + 0.5;
    }
  }
  if (spot.count > 0) {
    spot.x /= spot.count;
    spot.y /= spot.count;
  }
  return spot;
}

/// Projects a point to pixels from the left and the top.
Vec3 project(const OrbitCamera& camera, const Vec3& point) {
  const Vec3 p = calc_camera_axes(camera).transpose() * (point - camera.target);
  const double scale = kHeight / 2.0 / std::tan(kFieldOfView / 2.0) / (camera.distance - p.z());
  return {kWidth / 2.0 + scale * p.x(), kHeight / 2.0 - scale * p.y(), 0.0};
}

TEST(Renderer, ARedBoxHasTheRightColourAndSize) {
  OneBody one(Vec3::Zero());
  one.add(Box{{0.2, 1.0, 0.5}}, kRed);
  const Image image = draw(*make_world(one));
  const Spot red = find_spot(image, 0);
  EXPECT_NEAR(red.x, kWidth / 2.0, 1.0);
  EXPECT_NEAR(red.y, kHeight / 2.0, 1.0);
  // Its front face is 1 m by 0.5 m, 3.9 m away; pixels at its edge are partly sky.
  const double pixels_per_metre = kHeight / 2.0 / std::tan(kFieldOfView / 2.0) / 3.9;
  const double width = 1.0 * pixels_per_metre, height = 0.5 * pixels_per_metre;
  EXPECT_LE(red.count, width * height);
  EXPECT_GE(red.count, (width - 2.0) * (height - 2.0));
}

TEST(Renderer, ASphereAppearsWhereItProjectsTo) {
  const Vec3 place(0.3, -0.4, 0.5);
  OneBody one(place);
  one.add(Sphere{0.1}, kGreen);
  const OrbitCamera camera{.target = {0.1, 0.2, 0.3}, .distance = 3.0, .azimuth = 0.7, .elevation = 0.4};
  const Spot green = find_spot(draw(*make_world(one), camera), 1);
  const Vec3 expected = project(camera, place);
  ASSERT_GT(green.count, 100);
  EXPECT_NEAR(green.x, expected.x(), 2.0);
  EXPECT_NEAR(green.y, expected.y(), 2.0);
}

TEST(Renderer, ShowsAFallingBodyWithoutAffectingIt) {
  SmallModel small;
  small.add_ball("ball", {0.0, 0.0, 0.5}, 0.1, 1.0);
  small.model.shapes.back().color = kRed;
  const auto seen = make_world(small), unseen = make_world(small);
  Result<std::unique_ptr<Renderer>> made = make_mujoco_renderer(*seen, kWidth, kHeight);
  ASSERT_TRUE(made.ok()) << made.error();
  Image first, last;
  (*made)->draw(*seen, kFromTheFront, {}, first);
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(seen->step().ok());
    ASSERT_TRUE(unseen->step().ok());
    if (i % 50 == 0) (*made)->draw(*seen, kFromTheFront, {}, last);
  }
  (*made)->draw(*seen, kFromTheFront, {}, last);

  const double fallen = 0.5 * 9.81 * 0.3 * 0.3;
  const double expected =
      project(kFromTheFront, {0.0, 0.0, 0.5 - fallen}).y() - project(kFromTheFront, {0.0, 0.0, 0.5}).y();
  EXPECT_NEAR(find_spot(last, 0).y - find_spot(first, 0).y, expected, 2.0);
  StateWriter with, without;
  seen->save(with);
  unseen->save(without);
  EXPECT_TRUE(std::ranges::equal(with.bytes(), without.bytes()));
}

TEST(Renderer, AnInvisibleShapeIsShownOnlyAsACollisionShape) {
  OneBody one(Vec3::Zero());
  one.add(Box{{0.5, 0.5, 0.5}}, kRed).visible = false;
  one.add(Sphere{0.2}, kGreen).collide = false;
  const auto world = make_world(one);
  const Image visible = draw(*world);
  EXPECT_EQ(find_spot(visible, 0).count, 0);
  EXPECT_GT(find_spot(visible, 1).count, 100);
  const Image collision = draw(*world, kFromTheFront, {.shapes = ShownShapes::kCollision});
  EXPECT_GT(find_spot(collision, 0).count, 100);
  EXPECT_EQ(find_spot(collision, 1).count, 0);
}

TEST(Renderer, DrawsAMeshWithoutVolume) {
  OneBody one({0.0, 0.0, 0.0});
  one.model.meshes.push_back({{{0, -0.5, -0.3}, {0, 0.5, -0.3}, {0, 0, 0.6}}, {{0, 1, 2}}});
  one.add(MeshGeometry{MeshId{0}}, kRed).collide = false;
  const Spot red = find_spot(draw(*make_world(one)), 0);
  // The middle of a triangle is the mean of its corners, here the origin.
  ASSERT_GT(red.count, 100);
  EXPECT_NEAR(red.x, kWidth / 2.0, 1.5);
  EXPECT_NEAR(red.y, kHeight / 2.0, 1.5);
}

TEST(Renderer, AHeightmapIsHighWhereItsImageIsBright) {
  OneBody one(Vec3::Zero());
  // A ridge at the largest y appears on the right.
  one.model.heightmaps.push_back({.rows = 3, .columns = 2, .heights = {0, 0, 0, 0, 1, 1}});
  one.add(HeightmapGeometry{HeightmapId{0}, {1.0, 1.0, 0.6}}, kRed);
  const Spot red = find_spot(draw(*make_world(one)), 0);
  ASSERT_GT(red.count, 100);
  EXPECT_GT(red.x, kWidth / 2.0 + 5.0);
  EXPECT_LT(red.y, kHeight / 2.0);
}

TEST(Renderer, ShowsOneBodyWithoutTheOthers) {
  OneBody one(Vec3::Zero());
  one.add(Box{{0.5, 0.5, 0.5}}, kRed);
  const BodyId first = one.body;
  one.body = one.add_body("other", kWorldBody, {{0.0, 0.6, 0.0}, Quat::Identity()});
  one.add(Box{{0.5, 0.5, 0.5}}, kGreen);
  const Image image = draw(*make_world(one), kFromTheFront, {.only = first});
  EXPECT_GT(find_spot(image, 0).count, 100);
  EXPECT_EQ(find_spot(image, 1).count, 0);
}

TEST(Renderer, DrawsBodyFramesWithXRedYGreenZBlue) {
  OneBody one(Vec3::Zero());
  one.add(Sphere{0.5}, {0.6, 0.6, 0.6, 1.0}).visible = false;
  const OrbitCamera camera{.target = Vec3::Zero(), .distance = 1.0, .azimuth = 0.8, .elevation = 0.6};
  const Image image = draw(*make_world(one), camera, {.frames = true});
  const Vec3 origin = project(camera, Vec3::Zero());
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 tip = project(camera, 0.1 * Vec3::Unit(axis));
    const Spot spot = find_spot(image, axis);
    ASSERT_GT(spot.count, 10) << axis;
    const Vec3 to_spot(spot.x - origin.x(), spot.y - origin.y(), 0.0);
    EXPECT_GT(to_spot.normalized().dot((tip - origin).normalized()), 0.95) << axis;
  }
}

TEST(Renderer, DrawsACentreOfMassAsABall) {
  SmallModel small;
  small.add_body("thing", kWorldBody, Pose{}, 1.0, Vec3::Ones(), {0.0, 0.3, 0.2});
  const Image plain = draw(*make_world(small)),
              marked = draw(*make_world(small), kFromTheFront, {.centers_of_mass = true});
  const Vec3 place = project(kFromTheFront, {0.0, 0.3, 0.2});
  const auto at = [&](const Image& image) {
    return image.pixel(static_cast<int>(place.x()), static_cast<int>(place.y()));
  };
  EXPECT_GT(at(marked)[0], 2 * at(marked)[2]);  // yellow
  EXPECT_LT(at(plain)[0], 2 * at(plain)[2]);
}

TEST(Renderer, MarksAreVisibleThroughTransparentShapes) {
  OneBody ball(Vec3::Zero());
  ball.body = ball.add_body("heavy", kWorldBody, Pose{}, 1.0, Vec3::Ones(), Vec3::Zero());
  ball.add(Sphere{0.3}, kGreen);
  const auto red_in_the_middle = [&](float opacity) {
    const Image image = draw(*make_world(ball), kFromTheFront, {.centers_of_mass = true, .opacity = opacity});
    return static_cast<int>(image.pixel(kWidth / 2, kHeight / 2)[0]);
  };
  EXPECT_GT(red_in_the_middle(0.2f), red_in_the_middle(1.0f) + 50);  // the mark is yellow
}

TEST(Renderer, TwoRenderersCanAlternate) {
  OneBody red(Vec3::Zero()), green(Vec3::Zero());
  red.add(Sphere{0.3}, kRed);
  green.add(Sphere{0.3}, kGreen);
  const auto red_world = make_world(red), green_world = make_world(green);
  Result<std::unique_ptr<Renderer>> first = make_mujoco_renderer(*red_world, kWidth, kHeight);
  Result<std::unique_ptr<Renderer>> second = make_mujoco_renderer(*green_world, kWidth, kHeight);
  ASSERT_TRUE(first.ok() && second.ok());
  Image image;
  (*first)->draw(*red_world, kFromTheFront, {}, image);
  EXPECT_GT(find_spot(image, 0).count, 100);
  first->reset();
  (*second)->draw(*green_world, kFromTheFront, {}, image);
  EXPECT_GT(find_spot(image, 1).count, 100);
}

TEST(Renderer, TheSameSceneGivesTheSameImage) {
  OneBody one({0.0, 0.0, 0.5});
  one.add(Capsule{0.1, 0.3}, kRed);
  one.body = kWorldBody;
  one.add(PlaneGeometry{}, kGreen);
  const auto world = make_world(one);
  EXPECT_EQ(draw(*world).rgb, draw(*world).rgb);
}

}  // namespace
}  // namespace lockstep
