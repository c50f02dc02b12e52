#include "design/name_rules.h"

#include <gtest/gtest.h>

#include "design/bodies.h"
#include "design/design_testing.h"

namespace lockstep {
namespace {

constexpr std::string_view kRules =
    "<rules><connections><wire name='program'/></connections>"
    "<rule keyword='Bot1M#' as='link' inside='Bot1' ports='4' first_port='10'><joint type='hinge'/>"
    "<actuators><servo name='{name}' joint='{name}'/></actuators><ports><motor_port port='{port}' "
    "to='{name}'/></ports></rule>"
    "<rule keyword='Bot#' as='robot'/>"
    "<rule keyword='touch#' as='link' inside='Bot1'><sensors><touch name='{name}' "
    "body='{name}'/></sensors></rule>"
    "<rule keyword='beam#' as='beam' inside='Bot1'><sensors><distance name='{name}' site='{name}' "
    "range='{length}'/></sensors></rule>"
    "<rule keyword='pvc' as='object' static='true'/></rules>";

SmallAssembly make_robot() {
  SmallAssembly made;
  const int top = made.add_group("game");
  made.add_box("PVC pipe", {0.1, 0.1, 1.0}, {2.0, 0.0, 0.0}, top);
  made.add_box("PVC pipe 2", {0.1, 0.1, 1.0}, {2.0, 1.0, 0.0}, top);
  const int robot = made.add_group("Bot1-1", top);
  made.add_box("chassis", {0.4, 0.2, 0.1}, {0.0, 0.0, 0.0}, robot);
  made.add_wheel("Bot1M2-1", 0.1, {0.0, 0.15, 0.0}, robot);
  const int sensor = made.add_group("TOUCH7-1", robot);
  made.add_box("SOLID", {0.01, 0.1, 0.1}, {0.2, 0.0, 0.0}, sensor);
  made.add_box("beam0", {0.8, 0.02, 0.02}, {0.6, 0.0, 0.05}, robot);
  return made;
}

Design apply_rules(const Assembly& assembly) {
  Design design;
  design.assembly = std::make_shared<const Assembly>(assembly);
  for (const Operation& operation :
       find_operations(design, read_name_rules(kRules, "rules.xml"), {"s.xml", 3, 4}))
    design = apply(design, operation, without_files());
  return design;
}

std::string attribute_of(const Element& element, std::string_view name) {
  const Attribute* attribute = element.find_attribute(name);
  return attribute == nullptr ? "" : attribute->value;
}

TEST(NameRules, AMotorIsALinkWithAJointAndAPort) {
  const Design design = apply_rules(make_robot().assembly);
  const DesignBody& wheel = find_link(design, "Bot1M2", {}, "test");
  EXPECT_EQ(wheel.parent, "base");
  EXPECT_TRUE(wheel.joint->position.isApprox(Vec3(0.0, 0.15, 0.0)));
  EXPECT_TRUE(wheel.joint->axis.isApprox(Vec3::UnitY()));
  const Element& motor = design.devices.connections.at(0).children.at(0);
  EXPECT_EQ(attribute_of(motor, "port"), "12");
  EXPECT_EQ(attribute_of(motor, "to"), "Bot1M2");
}

TEST(NameRules, MatchingIsCaseInsensitiveAndTheSolidBelongsToItsGroup) {
  const Design design = apply_rules(make_robot().assembly);
  EXPECT_EQ(find_link(design, "touch7", {}, "test").parts.size(), 1u);
  EXPECT_EQ(attribute_of(design.devices.sensors.at(0), "body"), "touch7");
}

TEST(NameRules, ABeamPointsAwayFromTheRobotAndIsNotABody) {
  const Design design = apply_rules(make_robot().assembly);
  const Site& site = find_link(design, "base", {}, "test").sites.at(0);
  EXPECT_TRUE(site.pose.p.isApprox(Vec3(0.2, 0.0, 0.05), 1e-9));
  EXPECT_TRUE((site.pose.q * Vec3::UnitX()).isApprox(Vec3::UnitX()));
  EXPECT_EQ(attribute_of(design.devices.sensors.at(1), "range").substr(0, 3), "0.8");
  EXPECT_EQ(design.ignored.size(), 1u);
}

TEST(NameRules, APartOutsideTheRobotIsAnObject) {
  const Design design = apply_rules(make_robot().assembly);
  ASSERT_EQ(design.objects.size(), 2u);
  EXPECT_EQ(design.objects[0].name, "pvc");
  EXPECT_EQ(design.objects[1].name, "pvc-2");
  EXPECT_TRUE(design.objects[1].is_static);
}

TEST(NameRules, RejectsTwoPartsAtOnePort) {
  SmallAssembly made = make_robot();
  made.add_wheel("Bot1M2-2", 0.1, {0.0, -0.15, 0.0}, 3);
  EXPECT_EQ(
      error_of([&] { apply_rules(made.assembly); }),
      "s.xml:3:4: error: <rules>: 'game/Bot1-1/Bot1M2-1' and 'game/Bot1-1/Bot1M2-2' are both named 'Bot1M2'\n");
}

TEST(NameRules, RejectsANumberBeyondThePorts) {
  SmallAssembly made = make_robot();
  made.add_wheel("Bot1M4", 0.1, {0.0, -0.15, 0.0}, 3);
  EXPECT_EQ(error_of([&] { apply_rules(made.assembly); }),
            "s.xml:3:4: error: <rules>: part 'game/Bot1-1/Bot1M4' has the number 4; 'Bot1M#' allows 0 to 3\n");
}

TEST(NameRules, RejectsAnAssemblyWithoutARobot) {
  SmallAssembly made;
  made.add_box("pvc", {1.0, 1.0, 1.0}, Vec3::Zero());
  EXPECT_EQ(error_of([&] { apply_rules(made.assembly); }),
            "s.xml:3:4: error: <rules>: no group is the robot; expected a name such as 'Bot#'\n");
}

TEST(NameRules, TheRulesOfImperisimCanBeRead) {
  EXPECT_GE(read_bundled_rules("imperisim", {}).rules.size(), 12u);
  EXPECT_NE(error_of([] { read_bundled_rules("imperisin", {}); }).find("did you mean 'imperisim'?"),
            std::string::npos);
  EXPECT_NE(error_of([] { read_bundled_rules("../../irmss-arm", {}); }), "");
}

}  // namespace
}  // namespace lockstep
