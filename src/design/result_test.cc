#include "design/result.h"

#include <gtest/gtest.h>

#include "design/design_testing.h"
#include "design/expectation.h"
#include "design/static_checks.h"
#include "model/build.h"

namespace lockstep {
namespace {

ModelResult result_of(const Design& design) {
  return make_result(design, "files", without_files().read_file);
}

std::shared_ptr<const Model> model_of(ModelResult result) {
  embed_files(result);
  Diagnostics diagnostics;
  auto model = build_model(result.scenario, Assets(result.scenario, "."), diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return model;
}

TEST(ModelResult, ALinkHasTheMassOfItsPartsAboutItsJoint) {
  const ModelResult result = result_of(design_of(kTwoLinks));
  const Link& upper = result.scenario.robots.at(0).links.at(1);
  // A bar of 1 m by 0.1 m by 0.1 m at 1000 kg/m^3, with its joint at one end.
  EXPECT_NEAR(upper.inertial->mass, 10.0, 1e-9);
  EXPECT_TRUE(upper.inertial->center.isApprox(Vec3(0.5, 0.0, 0.0), 1e-9));
  EXPECT_NEAR(upper.inertial->diagonal.y(), 10.0 / 12.0 * (1.0 + 0.01), 1e-9);
  EXPECT_TRUE(upper.pose.p.isApprox(Vec3(1.0, 0.0, 0.0)));
  EXPECT_TRUE(upper.joint->position.isZero());
}

TEST(ModelResult, AMaterialGivesTheDensityAndAMassOverridesIt) {
  const std::string steel = "<scenario><material name='steel' density='7850'/></scenario>";
  const ModelResult heavy =
      result_of(design_of(steel + std::string(kTwoLinks) + "<set_material links='upper' name='steel'/>"));
  EXPECT_NEAR(heavy.scenario.robots.at(0).links.at(1).inertial->mass, 78.5, 1e-9);
  const ModelResult given = result_of(design_of(std::string(kTwoLinks) + "<set_mass link='upper' mass='2'/>"));
  EXPECT_NEAR(given.scenario.robots.at(0).links.at(1).inertial->mass, 2.0, 1e-12);
  EXPECT_NEAR(given.scenario.robots.at(0).links.at(1).inertial->diagonal.y(), 2.0 / 12.0 * 1.01, 1e-9);
}

TEST(ModelResult, EqualShapesShareAFile) {
  Assembly assembly = make_bars();
  assembly.parts[2].shape = assembly.parts[1].shape;
  const ModelResult result =
      result_of(design_of(std::string(kTwoLinks) + "<collision links='*' shape='none'/>", assembly));
  EXPECT_EQ(result.files.size(), 1u);
}

TEST(ModelResult, TheBoundingCapsuleIsThatOfIrmss) {
  const ModelResult result =
      result_of(design_of(std::string(kTwoLinks) + "<collision links='*' shape='bounding-capsule'/>"));
  const Shape& shape = result.scenario.robots.at(0).links.at(1).shapes.at(1);
  const Capsule& capsule = std::get<Capsule>(shape.geometry);
  EXPECT_NEAR(capsule.radius, 0.05, 1e-9);
  EXPECT_NEAR(capsule.length, 0.9, 1e-9);
  EXPECT_TRUE(shape.pose.p.isApprox(Vec3(0.5, 0.0, 0.0), 1e-9));
}

TEST(ForwardKinematics, FindsPointsAtTheirExpectedPositions) {
  const auto model = model_of(result_of(design_of(kTwoLinks)));
  const DesignScript script = script_of(
      "<expect name='up'><joint_position joint='elbow' position='-90 deg'/>"
      "<expected_point link='upper' at='2 0 0' expected='1 0 1'/><expected_point link='base' at='1 0 0' "
      "expected='1 0 "
      "0'/></expect>\n"
      "<expect name='wrong'><joint_position joint='elbow' position='-90 deg'/><expected_point link='upper' "
      "at='2 0 0' "
      "expected='1 0 1.1'/></expect>");
  Diagnostics diagnostics;
  check_expectations(script.expectations, *model, "arm", {}, diagnostics);
  ASSERT_EQ(diagnostics.error_count(), 1u);
  EXPECT_NE(diagnostics.text().find(
                "t.xml:2:72: error: expectation 'wrong': the point 2 0 0 of link 'upper' is at 1 "),
            std::string::npos)
      << diagnostics.text();
  EXPECT_NE(diagnostics.text().find("0.1 m off; expected 1 0 1.1"), std::string::npos) << diagnostics.text();
}

TEST(StaticChecks, ReportsPartsInNoLink) {
  Diagnostics diagnostics;
  check_parts(design_of(std::string(kTwoLinks) + "<ignore parts='knob'/>"), diagnostics);
  EXPECT_EQ(diagnostics.text(),
            "warning: part 'arm/bar3' belongs to no link; add it to one or exclude it with <ignore>\n");
}

TEST(StaticChecks, WarnsOfInertiasTooLargeForTheShapes) {
  const std::string wrong = "<set_mass link='upper' mass='1' center='1.5 0 0' diagonal='10 10 10'/>";
  Diagnostics diagnostics;
  check_model(*model_of(result_of(design_of(std::string(kTwoLinks) + wrong))), diagnostics);
  EXPECT_NE(diagnostics.text().find("'arm/upper': its inertia is too large for its shapes"), std::string::npos)
      << diagnostics.text();
}

TEST(StaticChecks, WarnsOfAMassFarBelowThatOfAnySolidMaterial) {
  const std::string wrong =
      "<set_mass link='upper' mass='0.01' center='1.5 0 0' diagonal='0.0001 0.001 0.001'/>";
  Diagnostics diagnostics;
  check_model(*model_of(result_of(design_of(std::string(kTwoLinks) + wrong))), diagnostics);
  EXPECT_NE(diagnostics.text().find("less than any solid material; are units right?"), std::string::npos)
      << diagnostics.text();
}

TEST(StaticChecks, AValidModelHasNoWarnings) {
  Diagnostics diagnostics;
  check_model(*model_of(result_of(design_of(kTwoLinks))), diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
}

TEST(StaticChecks, WarnsOfMillimetresReadAsMetres) {
  Assembly assembly = make_bars();
  for (PartShape& shape : assembly.shapes) {
    for (Vec3& vertex : shape.mesh.vertices) vertex *= 1e4;
  }
  Diagnostics diagnostics;
  check_model(*model_of(result_of(design_of(kTwoLinks, assembly))), diagnostics);
  EXPECT_NE(diagnostics.text().find("were millimetres read as metres?"), std::string::npos)
      << diagnostics.text();
}

/// A crank, a rocker at `distance` from it and a coupler of 1 m to connect both.
Scenario four_bar(double distance) {
  return read_scenario(
      document_of(fmt::format("<scenario><robot name='r'><link name='base'><box size='1 1 0.1'/><site "
                              "name='far' position='{} 0 0'/></link>"
                              "<link name='crank' parent='base'><joint name='a' axis='0 0 1' position='0 0 "
                              "0'/><box size='1 0.1 0.1' position='0.5 0 0'/></link>"
                              "<link name='coupler' parent='crank' position='1 0 0'><joint name='b' axis='0 0 "
                              "1'/><box size='1 0.1 0.1' position='0.5 0 0'/>"
                              "<site name='end' position='1 0 0'/></link>"
                              "<loop name='l' type='point' a='end' b='far'/></robot></scenario>",
                              distance)));
}

std::string loop_findings(double distance) {
  const Scenario scenario = with_open_loops(four_bar(distance));
  Diagnostics building, diagnostics;
  check_loops(*build_model(scenario, Assets(scenario, "."), building), diagnostics);
  return building.text() + diagnostics.text();
}

TEST(LoopChecks, TwoBarsOfAMetreReachOneAndAHalfButNotThree) {
  EXPECT_NE(loop_findings(1.5).find("warning: loops 'r/l' are open by 0.5 m at the start; they close at"),
            std::string::npos)
      << loop_findings(1.5);
  EXPECT_NE(
      loop_findings(3.0).find("error: loops 'r/l' cannot close: 1 m apart at the start, and still 1 m at"),
      std::string::npos)
      << loop_findings(3.0);
  EXPECT_EQ(loop_findings(2.0), "");
}

}  // namespace
}  // namespace lockstep
