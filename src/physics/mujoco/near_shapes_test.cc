#include "physics/mujoco/near_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "lockstep/state.h"
#include "physics/model_builder_testing.h"
#include "physics/mujoco/instance.h"

namespace lockstep {
namespace {

/// Shapes of every kind, in the air above a ground: free ones, a chain, two rigid ones, and two that never collide.
SmallModel make_scene() {
  SmallModel model;
  model.add_ground();
  const BodyId post = model.add_body("post", kWorldBody, {{0.5, 0.0, 0.2}, Quat::Identity()});
  model.add_joint(post, JointType::kFixed);
  model.add_shape(post, Cylinder{0.05, 0.4});
  const BodyId ball = model.add_ball("ball", {0.0, 0.0, 1.0}, 0.1, 1.0);
  const BodyId box = model.add_box("box", {{0.0, 1.0, 1.0}, Quat::Identity()}, {0.1, 0.2, 0.3}, 1.0);
  model.model.excluded.emplace_back(ball, box);
  BodyId parent = kWorldBody;
  for (int i = 0; i < 3; ++i) {
    const Pose at{{i == 0 ? -0.5 : 0.3, 0.0, i == 0 ? 0.5 : 0.0}, Quat::Identity()};
    parent = model.add_body(fmt::format("link{}", i), parent, at, 1.0, Vec3::Constant(0.01));
    model.add_joint(parent, JointType::kHinge, i % 2 == 0 ? Vec3::UnitY() : Vec3::UnitZ());
    model.add_shape(parent, Capsule{0.03, 0.2}, {}, {{0.15, 0.0, 0.0}, Quat(0.7, 0.0, 0.7, 0.0).normalized()});
  }
  const BodyId hand =
      model.add_body("hand", parent, {{0.3, 0.0, 0.0}, Quat::Identity()}, 0.1, Vec3::Constant(1e-4));
  model.add_joint(hand, JointType::kFixed);
  model.add_shape(hand, Sphere{0.04});
  return model;
}

double draw(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

/// MuJoCo's frames in a random configuration: free bodies within 1 m, joints anywhere.
void put_anywhere(MujocoInstance& instance, Random& random) {
  const mjModel& m = *instance.m;
  for (int joint = 0; joint < m.njnt; ++joint) {
    double* q = instance.d->qpos + m.jnt_qposadr[joint];
    if (m.jnt_type[joint] != mjJNT_FREE) {
      q[0] = draw(random, -3.0, 3.0);
      continue;
    }
    for (int i = 0; i < 2; ++i) q[i] = draw(random, -1.0, 1.0);
    q[2] = draw(random, 0.0, 1.5);
    for (int i = 3; i < 7; ++i) q[i] = draw(random, -1.0, 1.0);
  }
  mj_kinematics(instance.m, instance.d);
  mj_comPos(instance.m, instance.d);
}

TEST(NearShapes, WithoutAnyMujocoFindsNoContact) {
  const auto model = make_scene().share();
  MujocoInstance instance(*model);
  NearShapes near(*instance.m);
  Random random(1, "near");
  for (const double margin : {0.0, 0.05}) {
    std::fill_n(instance.m->geom_margin, instance.m->ngeom, margin);
    int free = 0, touching = 0;
    for (int i = 0; i < 5000; ++i) {
      put_anywhere(instance, random);
      const bool any = near.any(*instance.m, *instance.d);
      mj_collision(instance.m, instance.d);
      free += any ? 0 : 1;
      touching += instance.d->ncon > 0 ? 1 : 0;
      ASSERT_TRUE(any || instance.d->ncon == 0) << i;
    }
    // Both happen often.
    EXPECT_GT(free, 200) << margin;
    EXPECT_GT(touching, 500) << margin;
  }
}

TEST(NearShapes, SpheresThatJustTouchAreNear) {
  SmallModel model;
  model.add_ball("a", {0.0, 0.0, 0.0}, 0.1, 1.0);
  model.add_ball("b", {0.3, 0.0, 0.0}, 0.2, 1.0);
  const auto shared = model.share();
  MujocoInstance instance(*shared);
  NearShapes near(*instance.m);
  const auto is_near = [&](double distance) {
    instance.d->qpos[7] = distance;
    mj_kinematics(instance.m, instance.d);
    return near.any(*instance.m, *instance.d);
  };
  instance.d->qpos[3] = instance.d->qpos[10] = 1.0;
  EXPECT_TRUE(is_near(0.3));
  EXPECT_FALSE(is_near(0.3 + 1e-6));
  EXPECT_TRUE(is_near(0.3));
  EXPECT_TRUE(is_near(std::numeric_limits<double>::quiet_NaN()));
}

TEST(NearShapes, PartsOfOneLinkAndNeighboursAreNever) {
  SmallModel model;
  const BodyId base = model.add_body("base", kWorldBody, {}, 1.0, Vec3::Ones());
  model.add_joint(base, JointType::kFree);
  model.add_shape(base, Sphere{0.1});
  model.add_shape(base, Sphere{0.1});
  const BodyId arm = model.add_body("arm", base, {}, 1.0, Vec3::Ones());
  model.add_joint(arm, JointType::kHinge);
  model.add_shape(arm, Sphere{0.1});
  const auto shared = model.share();
  MujocoInstance instance(*shared);
  mj_kinematics(instance.m, instance.d);
  EXPECT_FALSE(NearShapes(*instance.m).any(*instance.m, *instance.d));
}

}  // namespace
}  // namespace lockstep
