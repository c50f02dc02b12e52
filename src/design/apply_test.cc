#include "design/apply.h"

#include <gtest/gtest.h>

#include "design/bodies.h"
#include "design/design_testing.h"

namespace lockstep {
namespace {

const DesignBody& link(const Design& design, std::string_view name) {
  return find_link(design, name, {}, "test");
}

std::string names_of(const Design& design) {
  std::string names;
  for (const DesignBody& body : design.links)
    names += body.name + (body.parent.empty() ? "" : "<" + body.parent) + " ";
  return names;
}

TEST(Operations, DoNotChangeTheirInput) {
  const Design before = design_of(kTwoLinks);
  const DesignScript more = script_of("<merge link='upper' into='base'/>");
  const Design after = apply(before, more.operations.at(0), without_files());
  EXPECT_EQ(names_of(before), "base upper<base ");
  EXPECT_EQ(names_of(after), "base ");
  EXPECT_EQ(link(after, "base").parts.size(), 2u);
}

TEST(Operations, AJointHasTheGivenPosition) {
  const Design design = design_of(kTwoLinks);
  EXPECT_EQ(link(design, "upper").joint->position, Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(link(design, "upper").origin, Vec3(1.0, 0.0, 0.0));
}

TEST(Operations, AJointFollowsTheBoxOfAPart) {
  const Design design = design_of(
      "<make_link name='base' parts='bar1'/><make_link name='upper' parent='base' parts='bar2'>"
      "<joint name='elbow'><at from='box' part='bar2' fraction='0 0.5 0.5' axis='z'/></joint></make_link>");
  EXPECT_TRUE(link(design, "upper").joint->position.isApprox(Vec3(1.0, 0.0, 0.0)));
  EXPECT_EQ(link(design, "upper").joint->axis, Vec3::UnitZ());
}

TEST(Operations, APartBelongsToOneLink) {
  EXPECT_EQ(
      design_error("<make_link name='base' parts='bar1'/>\n<make_link name='b' parent='base' parts='bar1'/>"),
      "t.xml:2:1: error: link 'b': part 'arm/bar1' belongs to 'base' already\n");
  // A pattern with '*' selects the remaining parts.
  const Design design =
      design_of("<make_link name='base' parts='bar1'/><make_link name='b' parent='base' parts='arm/*'/>");
  EXPECT_EQ(link(design, "b").parts.size(), 3u);
}

TEST(Operations, UnknownNamesAreReportedWithSuggestions) {
  EXPECT_EQ(design_error("<make_link name='base' parts='bar9'/>").substr(0, 72),
            "t.xml:1:21: error: link 'base': no part matches 'bar9'; expected one of ");
  EXPECT_EQ(
      design_error("<make_link name='base' parts='bar1'/><make_link name='b' parent='bass' parts='bar2'/>"),
      "t.xml:1:58: error: link 'b': there is no link 'bass'; did you mean 'base'?\n");
  EXPECT_EQ(design_error("<make_link name='base' parts='bar1'/><make_lnk name='b'/>"),
            "t.xml:1:58: error: <design> cannot contain <make_lnk>; did you mean <make_link>?\n");
}

TEST(Operations, RejectsAJointWithoutAPosition) {
  EXPECT_NE(design_error("<make_link name='base' parts='bar1'/><make_link name='b' parent='base' parts='bar2'>"
                         "<joint name='j' axis='0 0 1'/></make_link>")
                .find("joint 'j': no position is given; add a 'position' or an <at>"),
            std::string::npos);
}

TEST(Operations, SplittingMovesPartsToANewLink) {
  const Design design = design_of(
      "<make_link name='base' parts='bar1; bar2; knob'/>"
      "<split link='base' name='tip' parts='bar2; knob'><joint name='j' type='slide' axis='1 0 0'/></split>");
  EXPECT_EQ(link(design, "base").parts.size(), 1u);
  EXPECT_EQ(link(design, "tip").parts.size(), 2u);
  EXPECT_EQ(link(design, "tip").parent, "base");
}

TEST(Operations, MergingAParentIntoItsChildKeepsTheTree) {
  const Design design =
      design_of(std::string(kTwoLinks) +
                "<make_link name='tip' parent='upper' parts='bar3'/><merge link='base' into='upper'/>");
  EXPECT_EQ(names_of(design), "upper tip<upper ");
  EXPECT_FALSE(link(design, "upper").joint.has_value());
}

TEST(Operations, RenamingALinkUpdatesItsChildren) {
  const Design design =
      design_of(std::string(kTwoLinks) + "<rename link='base' to='foot'/><rename joint='elbow' to='knee'/>");
  EXPECT_EQ(names_of(design), "foot upper<foot ");
  EXPECT_EQ(link(design, "upper").joint->name, "knee");
}

TEST(Operations, ANameUsedByADeviceCannotBeRemoved) {
  EXPECT_NE(design_error(std::string(kTwoLinks) +
                         "<attach><sensors><joint_state name='e' joint='elbow'/></sensors></attach>"
                         "<rename joint='elbow' to='knee'/>")
                .find("references 'elbow'; do this before devices are attached"),
            std::string::npos);
}

TEST(Operations, TheEmptyEndLinkMoves) {
  const Design design = design_of(std::string(kTwoLinks) +
                                  "<end name='tool' parent='upper' position='2 0 0'/>"
                                  "<end name='tool' position='2.5 0 0'/>");
  EXPECT_EQ(link(design, "tool").origin, Vec3(2.5, 0.0, 0.0));
  EXPECT_EQ(design.links.size(), 3u);
}

TEST(Operations, ALoopHasASiteOnEitherLink) {
  const Design design = design_of(std::string(kTwoLinks) +
                                  "<close_loop name='l' a='base' b='upper' position='1 0 0' axis='0 1 0'/>");
  ASSERT_EQ(design.loops.size(), 1u);
  EXPECT_TRUE((link(design, "base").sites.at(0).pose.q * Vec3::UnitZ()).isApprox(Vec3::UnitY()));
  EXPECT_EQ(link(design, "upper").sites.at(0).name, "l_b");
}

TEST(Mirror, MirrorImagesMoveSymmetrically) {
  SmallAssembly made;
  made.add_box("body", {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0});
  made.add_mesh("left_leg", tessellated(Box{{0.1, 0.2, 1.0}}),
                {{0.0, 0.7, -0.5}, Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()))});
  const Design design = design_of(
      "<make_link name='body' parts='body'/>"
      "<make_link name='left_leg' parent='body' parts='left_leg'><joint name='left_hip' axis='1 0 0' "
      "position='0 "
      "0.6 0'/></make_link>"
      "<mirror link='left_leg' find='left' replace='right'/>",
      made.assembly);
  const DesignBody& image = link(design, "right_leg");
  EXPECT_TRUE(image.joint->position.isApprox(Vec3(0.0, -0.6, 0.0)));
  // A rotation about x moves +y up; its image must move -y up.
  EXPECT_TRUE(image.joint->axis.isApprox(Vec3(-1.0, 0.0, 0.0)));
  const Eigen::AlignedBox3d left = calc_bounds(*design.assembly, link(design, "left_leg").parts);
  const Eigen::AlignedBox3d right = calc_bounds(*design.assembly, image.parts);
  EXPECT_NEAR(left.max().y(), -right.min().y(), 1e-12);
  EXPECT_NEAR(left.min().z(), right.min().z(), 1e-12);
  const Mesh& mesh = design.assembly->shapes.back().mesh;
  EXPECT_EQ(find_mesh_defect(mesh), "");
  EXPECT_GT(unit_mass(mesh).mass, 0.0);
}

}  // namespace
}  // namespace lockstep
