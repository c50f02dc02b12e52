#include "model/build.h"

#include <gtest/gtest.h>

#include "model/kinematics.h"
#include "scenario/read.h"

namespace lockstep {
namespace {

struct Built {
  std::shared_ptr<const Model> model;
  std::string errors;
};

/// Builds the model of a <scenario> with this content.
Built build(const std::string& inside) {
  const Document document = Document::read_text("<scenario name=\"t\">\n" + inside + "\n</scenario>", "t.xml",
                                                std::filesystem::temp_directory_path());
  const Scenario scenario = read_scenario(document);
  Diagnostics diagnostics;
  Built built;
  built.model = build_model(scenario, Assets(scenario, document.root_folder()), diagnostics);
  built.errors = diagnostics.text();
  return built;
}

constexpr double kExact = 1e-12;

TEST(Model, MassOfACompoundIsThatOfItsShapesAboutTheirCommonCentre) {
  // Two cubes of 1 kg, 1 m apart: the moment about the axis across is 2 (1/6 + 1/4).
  const Built built = build(R"(<object name="o">
    <box size="1 1 1" mass="1" position="-0.5 0 0"/><box size="1 1 1" mass="1" position="0.5 0 0"/></object>)");
  ASSERT_EQ(built.errors, "");
  const MassProperties& mass = built.model->bodies[1].mass;
  EXPECT_NEAR(mass.mass, 2.0, kExact);
  EXPECT_NEAR(mass.center.norm(), 0.0, kExact);
  EXPECT_NEAR(mass.inertia(2, 2), 2.0 * (1.0 / 6.0 + 0.25), kExact);
  EXPECT_NEAR(mass.inertia(0, 0), 2.0 / 6.0, kExact);
}

TEST(Model, FrictionOfTwoMaterialsIsTheirGeometricMeanUnlessThePairOverridesIt) {
  const Built built = build(R"(<material name="a" friction="0.2"/><material name="b" friction="0.8"/>
    <material name="c" friction="0.5"/><material_pair a="c" b="a" friction="0.9" collide="false"/>)");
  ASSERT_EQ(built.errors, "");
  EXPECT_NEAR(built.model->contact(MaterialId{1}, MaterialId{2}).friction, 0.4, kExact);
  EXPECT_EQ(built.model->contact(MaterialId{1}, MaterialId{1}).friction, 0.2);
  EXPECT_EQ(built.model->contact(MaterialId{1}, MaterialId{3}).friction, 0.9);
  EXPECT_EQ(built.model->contact(MaterialId{3}, MaterialId{1}).friction, 0.9);
  EXPECT_FALSE(built.model->contact(MaterialId{1}, MaterialId{3}).collide);
}

TEST(Model, StiffnessesOfTwoMaterialsActInSeries) {
  const Built built = build(R"(<material name="a" stiffness="100"/><material name="b" stiffness="300"/>)");
  ASSERT_EQ(built.errors, "");
  EXPECT_NEAR(*built.model->contact(MaterialId{1}, MaterialId{2}).stiffness, 75.0, kExact);
  EXPECT_NEAR(*built.model->contact(MaterialId{1}, MaterialId{0}).stiffness, 100.0, kExact);
}

TEST(Model, LinksMayBeWrittenInAnyOrderAndParentsComeFirst) {
  const Built built = build(R"(<robot name="r">
    <link name="hand" parent="arm"><joint name="wrist"/><box mass="1"/></link>
    <link name="arm" parent="base"><joint name="shoulder"/><box mass="1"/></link>
    <link name="base"/></robot>)");
  ASSERT_EQ(built.errors, "");
  for (std::size_t i = 1; i < built.model->bodies.size(); ++i)
    EXPECT_LT(index(built.model->bodies[i].parent), i);
  EXPECT_EQ(built.model->bodies[3].name, "r/hand");
}

TEST(Model, InitialPosesFollowTheJoints) {
  const Built built = build(R"(<robot name="r" position="1 0 0">
    <link name="base"/>
    <link name="arm" parent="base" position="0 0 1"><joint name="j" axis="0 0 1" initial="90 deg"/><box mass="1"/>
    </link>
    <link name="hand" parent="arm" position="2 0 0"><joint name="k" type="slide" axis="1 0 0" initial="0.5"/>
      <box mass="1"/></link></robot>)");
  ASSERT_EQ(built.errors, "");
  const std::vector<Pose> poses = calc_initial_poses(*built.model);
  EXPECT_NEAR((poses[3].p - Vec3(1.0, 2.5, 1.0)).norm(), 0.0, kExact);
}

TEST(Model, TheDefaultLengthOfARopeIsTheInitialDistance) {
  const Built built = build(R"(<object name="a" static="true"><box/><site name="s"/></object>
    <object name="b" position="3 4 0"><box/><site name="s"/></object><rope name="r" a="a/s" b="b/s"/>)");
  ASSERT_EQ(built.errors, "");
  EXPECT_NEAR(built.model->springs[0].length, 5.0, kExact);
}

TEST(Model, ACoupledJointStartsWhereItsLeaderRequires) {
  const Built built = build(R"(<robot name="r"><link name="base"/>
    <link name="a" parent="base"><joint name="lead" initial="0.5" initial_velocity="1"/><box mass="1"/></link>
    <link name="b" parent="base"><joint name="follow"/><box mass="1"/></link>
    <coupling name="gear" joint="follow" follows="lead" ratio="-2" offset="0.1"/></robot>)");
  ASSERT_EQ(built.errors, "");
  EXPECT_NEAR(built.model->joints[1].initial_position[0], -0.9, kExact);
  EXPECT_NEAR(built.model->joints[1].initial_velocity[0], -2.0, kExact);
}

TEST(Model, ALinkWithoutMassMayMoveIfOneWithMassIsWeldedToIt) {
  EXPECT_EQ(build(R"(<robot name="r"><link name="base"/><link name="a" parent="base"><joint name="j"/></link>
    <link name="b" parent="a"/><link name="c" parent="b"><box mass="1"/></link></robot>)")
                .errors,
            "");
  EXPECT_NE(build(R"(<robot name="r"><link name="base"/><link name="a" parent="base"><joint name="j"/></link>
    <link name="b" parent="a"><joint name="k"/><box mass="1"/></link></robot>)")
                .errors.find("link 'r/a': moves but has no mass"),
            std::string::npos);
}

TEST(Model, AMasslessLinkMovesTheMassOfItsChildren) {
  const Built built = build(R"(<robot name="r"><link name="base"/>
    <link name="cross" parent="base" massless="true"><joint name="j" axis="1 0 0"/></link>
    <link name="arm" parent="cross"><joint name="k" axis="0 1 0"/><box mass="1"/></link></robot>)");
  ASSERT_EQ(built.errors, "");
  EXPECT_TRUE(built.model->bodies[2].massless);
  EXPECT_EQ(built.model->bodies[2].mass.mass, 0.0);
}

TEST(Model, ATendonIsSlackAtItsLengthAtTheStart) {
  const Built built = build(R"(<robot name="r"><link name="base"/>
    <link name="a" parent="base"><joint name="j" initial="0.5"/><box mass="1"/></link>
    <link name="b" parent="a"><joint name="k" initial="0.2"/><box mass="1"/></link>
    <tendon name="t" stiffness="3"><pulley joint="j" ratio="2"/><pulley joint="k" ratio="-1"/></tendon></robot>)");
  ASSERT_EQ(built.errors, "");
  ASSERT_EQ(built.model->tendons.size(), 1u);
  EXPECT_NEAR(built.model->tendons[0].rest, 0.8, kExact);
}

TEST(Model, ExcludedBodiesAreListed) {
  const Built built = build(R"(<object name="o"><box/></object><robot name="r"><link name="base"/>
    <link name="a" parent="base"><joint name="j"/><box mass="1"/></link><exclude a="base" b="a"/></robot>
    <exclude a="o" b="r/a"/>)");
  ASSERT_EQ(built.errors, "");
  ASSERT_EQ(built.model->excluded.size(), 2u);
  EXPECT_EQ(built.model->body(built.model->excluded[1].first).name, "o");
}

TEST(Model, RejectsOpenLoops) {
  const Built built = build(R"(<object name="a" static="true"><box/><site name="s"/></object>
    <object name="b" position="0.5 0 0"><box/><site name="s"/></object><loop name="l" a="a/s" b="b/s"/>)");
  EXPECT_EQ(built.errors,
            "t.xml:3:72: error: loop 'l': its ends are 0.5 m apart at the start; expected at most 0.001 m\n");
}

TEST(Model, RejectsImpossibleInertias) {
  const Built built = build(R"(<object name="o"><box/><inertial mass="1" diagonal="1 1 3"/></object>)");
  EXPECT_NE(built.errors.find("object 'o': impossible mass properties"), std::string::npos) << built.errors;
}

TEST(Model, SeveralErrorsAreFoundInOnePass) {
  const Built built = build(R"(<object name="o"><box material="wod"/></object><material name="wood"/>
    <robot name="r"><link name="a" parent="b"/></robot><robot name="s"/>)");
  EXPECT_NE(built.errors.find("unknown material 'wod'; did you mean 'wood'?"), std::string::npos)
      << built.errors;
  EXPECT_NE(built.errors.find("unknown parent 'b'"), std::string::npos);
  EXPECT_NE(built.errors.find("robot 's': has no links"), std::string::npos);
}

TEST(Model, FreeAndBallJointsOfRobotsStartWithTheVelocityOfTheFile) {
  // The robot is turned by 90 degrees about z, the arm by another 90 about x in it.
  const Built built = build(R"(<robot name="r" rpy="0 0 90 deg">
    <link name="base"><joint name="root" type="free" velocity="1 2 3" angular_velocity="4 5 6"/><box mass="1"/></link>
    <link name="arm" parent="base" rpy="90 0 0 deg">
      <joint name="ball" type="ball" angular_velocity="7 8 9"/><box mass="1"/></link></robot>)");
  ASSERT_EQ(built.errors, "");
  const std::vector<double> root = {1.0, 2.0, 3.0, 5.0, -4.0, 6.0};  // angular in the axes of the link
  const std::vector<double> ball = {7.0, 9.0, -8.0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(built.model->joints[0].initial_velocity[i], root[i], kExact);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(built.model->joints[1].initial_velocity[i], ball[i], kExact);
}

TEST(Model, ADetachableBallJointTakesNoAngularVelocity) {
  const Built built = build(R"(<robot name="r"><link name="base"/><link name="arm" parent="base">
    <joint name="ball" type="ball" detachable="true" angular_velocity="7 8 9"/><box mass="1"/></link></robot>)");
  EXPECT_NE(built.errors.find("a detachable joint takes no limits"), std::string::npos) << built.errors;
}

}  // namespace
}  // namespace lockstep
