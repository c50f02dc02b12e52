#include "physics/mujoco/compile.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "physics/model_builder_testing.h"
#include "physics/mujoco/contact_rules.h"
#include "physics/mujoco/mujoco_engine.h"

/// Limits of MuJoCo, and the errors of models that it rejects.
namespace lockstep {
namespace {

std::string error_of(const SmallModel& model) {
  try {
    MujocoEngine().make_world(model.share());
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Compile, ReportsTheElementAndItsPlace) {
  SmallModel model;
  const BodyId body = model.add_body("arm/hand", kWorldBody, {}, 0.0);  // moves, but has no mass
  model.add_joint(body, JointType::kHinge);
  model.model.bodies.back().place = {"arm.xml", 12, 7};
  const std::string error = error_of(model);
  EXPECT_TRUE(error.starts_with("arm.xml:12:7: error: body 'arm/hand': ")) << error;
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
}

TEST(Compile, RejectsImpossibleInertiaWithItsBody) {
  SmallModel model;
  model.add_ball("ball", Vec3::Zero(), 0.1, 1.0);
  model.model.bodies.back().mass.inertia =
      Vec3(1.0, 1.0, 5.0).asDiagonal();  // violates the triangle inequality
  EXPECT_NE(error_of(model).find("body 'ball'"), std::string::npos) << error_of(model);
}

TEST(Compile, AcceptsAThinPlateWhoseInertiaIsRoundedInAnyOrientation) {
  for (const double angle : {0.0, 0.3, 1.0}) {
    SmallModel model;
    model.add_ball("plate", Vec3::Zero(), 0.1, 1.0);
    const Mat3 R = (Eigen::AngleAxisd(angle, Vec3::UnitX()) * Eigen::AngleAxisd(2.0 * angle, Vec3::UnitY()))
                       .toRotationMatrix();
    const Mat3 turned = R * Vec3(0.333333, 0.333333, 0.666667).asDiagonal() * R.transpose();
    model.model.bodies.back().mass.inertia = 0.5 * (turned + turned.transpose());
    EXPECT_EQ(error_of(model), "") << angle;
  }
}

TEST(Compile, AFlatMeshCollidesAsAThinPlate) {
  for (const std::size_t corners : {3, 4}) {
    SmallModel model;
    model.add_ground();
    const BodyId body =
        model.add_body("plate", kWorldBody, {{0.0, 0.0, 0.1}, Quat::Identity()}, 1.0, {0.3, 0.3, 0.6});
    model.add_joint(body, JointType::kFree);
    Mesh mesh;
    mesh.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    mesh.vertices.resize(corners);
    mesh.faces = {{0, 1, 2}};
    model.model.meshes.push_back(mesh);
    model.add_shape(body, MeshGeometry{MeshId{0}});
    ASSERT_EQ(error_of(model), "");
    const auto world = MujocoEngine().make_world(model.share());
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(world->step().ok());
    // Half its thickness is a thousandth of its radius.
    EXPECT_NEAR(world->body_pose(body).p.z(), 0.0, 3e-3);
  }
}

TEST(Compile, RejectsAMovingPlane) {
  SmallModel model;
  model.add_ball("ball", Vec3::Zero(), 0.1, 1.0);
  model.add_shape(BodyId{1}, PlaneGeometry{});
  EXPECT_NE(error_of(model), "");
}

TEST(Compile, RejectsNonFiniteNumbers) {
  SmallModel model;
  model.add_ball("ball", {0.0, std::nan(""), 0.0}, 0.1, 1.0);
  EXPECT_NE(error_of(model).find("not finite"), std::string::npos);
}

TEST(Compile, RejectsMoreContactsThanMemoryAllows) {
  SmallModel model;
  model.add_ball("ball", Vec3::Zero(), 0.1, 1.0);
  model.model.engine.own = write_own(MujocoOptions{.max_contacts = 100'000});
  EXPECT_NE(error_of(model).find("GB of memory"), std::string::npos) << error_of(model);
}

TEST(Capacity, ReportsMoreContactsThanMemoryAllows) {
  SmallModel model;
  model.model.engine.own = write_own(MujocoOptions{.max_contacts = 6});
  model.add_ground();
  for (int i = 0; i < 3; ++i)
    model.add_box(fmt::format("box{}", i), {{1.0 * i, 0.0, 0.11}, Quat::Identity()}, {0.2, 0.2, 0.2}, 1.0);
  const auto world = MujocoEngine().make_world(model.share());
  Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = world->step();
  EXPECT_EQ(status.outcome, Outcome::kConstraintOverflow);
  EXPECT_EQ(status.step, world->step_count());
  EXPECT_NE(status.cause.find("max_contacts"), std::string::npos);
  EXPECT_EQ(world->step().outcome, Outcome::kConstraintOverflow);
}

/// A plate on 400 feet, a millimetre above the ground. It needs more contacts than the capacity at the start.
SmallModel make_plate_with_feet() {
  SmallModel model;
  model.add_ground();
  const BodyId plate =
      model.add_body("plate", kWorldBody, {{0.0, 0.0, 0.026}, Quat::Identity()}, 4.0, {0.5, 0.5, 1.0});
  model.add_joint(plate, JointType::kFree);
  for (int i = 0; i < 400; ++i)
    model.add_shape(plate, Box{Vec3::Constant(0.05)}, {},
                    {{0.1 * (i % 20) - 0.95, 0.1 * (i / 20) - 0.95, 0.0}, Quat::Identity()});
  return model;
}

std::vector<std::uint8_t> state_of(const World& world) {
  StateWriter writer;
  world.save(writer);
  return {writer.bytes().begin(), writer.bytes().end()};
}

TEST(Capacity, GrowsWithTheContactsAndChangesNothingElse) {
  SmallModel model = make_plate_with_feet();
  const auto world = MujocoEngine().make_world(model.share());
  model.model.engine.own = write_own(MujocoOptions{.max_contacts = 2000});
  const auto reserved = MujocoEngine().make_world(model.share());
  world->track({.contact_forces = true});
  EXPECT_LT(compile(make_plate_with_feet().model).mujoco->nconmax, 1600);
  for (int i = 0; i < 40; ++i) {
    for (World* each : {world.get(), reserved.get()}) {
      each->add_body_force(BodyId{1}, Vec3::Zero(), {{0.0, 0.0, -10.0}, Vec3::Zero()});
      ASSERT_TRUE(each->step().ok());
    }
  }
  EXPECT_EQ(world->contacts().size(), 1600u);
  double force = 0.0;
  for (const ContactPoint& contact : world->contacts()) force += contact.force.z();
  EXPECT_NEAR(force, 4.0 * 9.81 + 10.0, 1.0);  // it has nearly settled
  EXPECT_EQ(state_of(*world), state_of(*reserved));

  const auto restored = MujocoEngine().make_world(make_plate_with_feet().share());
  const std::vector<std::uint8_t> state = state_of(*world);
  StateReader reader(state);
  restored->restore(reader);
  EXPECT_TRUE(restored->step().ok());
}

TEST(Capacity, TooManyContactsAtTheStartAreAnErrorOfTheModel) {
  SmallModel model = make_plate_with_feet();
  model.model.bodies[1].X_PB.p.z() = 0.0249;
  model.model.joints[0].initial_position[2] = 0.0249;
  EXPECT_EQ(error_of(model), "");
  model.model.engine.own = write_own(MujocoOptions{.max_contacts = 1000});
  EXPECT_NE(error_of(model).find("at the start there are more than 1000 contacts; set max_contacts"),
            std::string::npos)
      << error_of(model);
}

TEST(Compile, RejectsTooManyBodiesBeforeMujocoCompilesThem) {
  SmallModel model;
  for (int i = 0; i < 30'000; ++i) model.add_body("body", kWorldBody, {});
  EXPECT_NE(error_of(model).find("30001 bodies; mujoco takes at most 20000"), std::string::npos)
      << error_of(model);
}

TEST(Compile, ALargeHeapOfBoxesGetsALimitedCapacity) {
  SmallModel model;
  model.add_ground();
  for (int i = 0; i < 500; ++i) {
    model.add_box("box", {{i % 10 * 0.5, i / 10 % 10 * 0.5, 0.2 + i / 100 * 0.5}, Quat::Identity()},
                  Vec3::Constant(0.2), 1.0);
  }
  const CompiledModel compiled = compile(model.model);
  EXPECT_GT(compiled.mujoco->nconmax, 500);
  EXPECT_LT(compiled.mujoco->njmax, 5000);
}

TEST(ContactRules, DampingRatioGivesTheRestitutionOfAContactThatOnlyPushes) {
  EXPECT_EQ(calc_damping_ratio(1.0), 0.0);
  EXPECT_EQ(calc_damping_ratio(0.0), 1.0);
  for (const double e : {0.2, 0.5, 0.9}) {
    // x'' + 2 z x' + x = 0 from x = 0 with speed 1, until the force -x - 2 z x' would pull.
    const double z = calc_damping_ratio(e), step = 1e-5;
    double x = 0.0, v = -1.0;
    while (-x - 2.0 * z * v > 0.0) {
      v += step * (-x - 2.0 * z * v);
      x += step * v;
    }
    EXPECT_NEAR(v, e, 1e-3);
  }
}

}  // namespace
}  // namespace lockstep
