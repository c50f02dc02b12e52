#include "scenario/expand_chain.h"

#include <gtest/gtest.h>

#include <numbers>

#include "scenario/scenario_testing.h"
#include "scenario/write.h"

namespace lockstep {
namespace {

Robot robot_of(std::string_view chain, std::string_view rest = "") {
  return read_scenario(
             document_of(fmt::format("<scenario><robot name='r'>{}{}</robot></scenario>", chain, rest)))
      .robots.at(0);
}

std::vector<std::string> names_of(const std::vector<Element>& devices) {
  std::vector<std::string> names;
  for (const Element& device : devices)
    names.push_back(device.name + " " + device.find_attribute("name")->value);
  return names;
}

std::string attribute_of(const Element& element, std::string_view name) {
  const Attribute* found = element.find_attribute(name);
  return found == nullptr ? "" : found->value;
}

const Link& link_of(const Robot& robot, std::string_view name) {
  for (const Link& link : robot.links) {
    if (link.name == name) return link;
  }
  throw std::out_of_range(std::string(name));
}

/// Pose of a link in the robot, all joints at zero.
Pose pose_of(const Robot& robot, const Link& link) {
  return link.parent.empty() ? link.pose : pose_of(robot, link_of(robot, link.parent)) * link.pose;
}

TEST(Chain, ElevenModulesAreTwentyTwoLinksAndElevenHingesInTurn) {
  const Robot robot = robot_of("<chain modules='11'/>");
  ASSERT_EQ(robot.links.size(), 22u);
  EXPECT_EQ(robot.links[0].name, "module1a");
  EXPECT_EQ(robot.links[0].joint->type, JointType::kFree);
  EXPECT_EQ(robot.links[21].name, "module11b");
  for (std::size_t i = 0; i < 11; ++i) {
    const Joint& joint = *robot.links[2 * i + 1].joint;
    EXPECT_EQ(joint.name, fmt::format("joint{}", i + 1));
    EXPECT_EQ(joint.axis, i % 2 == 0 ? Vec3(0.0, -1.0, 0.0) : Vec3(0.0, 0.0, -1.0));
  }
  EXPECT_EQ(robot.devices.actuators.size(), 11u);
  EXPECT_EQ(names_of(robot.devices.actuators)[4], "servo joint5");
  EXPECT_EQ(names_of(robot.devices.sensors).front(), "pose head");
}

TEST(Chain, SegmentsFollowEachOtherBackwardsWithoutGaps) {
  const Robot robot = robot_of(
      "<chain position='0 0 0.1'><sensor_module size='20 60 60 mm'/><module size='80 60 60 mm'/>"
      "<sensor_module size='30 60 60 mm'/><sensor_module size='10 60 60 mm'/><module size='0.1 0.06 "
      "0.06'/></chain>");
  const auto x_of = [&](const char* link) { return pose_of(robot, link_of(robot, link)).p.x(); };
  EXPECT_NEAR(x_of("sensor1"), -0.010, 1e-12);
  EXPECT_NEAR(x_of("module1a"), -0.060, 1e-12);
  EXPECT_NEAR(x_of("module1b"), -0.060, 1e-12);
  EXPECT_NEAR(x_of("sensor2"), -0.115, 1e-12);
  EXPECT_NEAR(x_of("sensor3"), -0.135, 1e-12);
  EXPECT_NEAR(x_of("module2b"), -0.190, 1e-12);
  EXPECT_NEAR(pose_of(robot, link_of(robot, "module2b")).p.z(), 0.1, 1e-12);
}

TEST(Chain, AModuleOverridesTheChainAndTheChainTheDefaults) {
  const Robot robot = robot_of(
      "<chain mass='0.3' gain='5' material='wood'><module/><module axis='pitch' mass='0.5' material='steel' "
      "upper='60 deg' "
      "max_speed='1' gain='2'/><module/></chain>");
  EXPECT_DOUBLE_EQ(*link_of(robot, "module1a").shapes[0].mass, 0.15);
  EXPECT_DOUBLE_EQ(*link_of(robot, "module2b").shapes[0].mass, 0.25);
  EXPECT_EQ(link_of(robot, "module1a").shapes[0].material, "wood");
  EXPECT_EQ(link_of(robot, "module2a").shapes[0].material, "steel");
  EXPECT_EQ(link_of(robot, "module2b").joint->axis, Vec3(0.0, -1.0, 0.0));
  EXPECT_NEAR(*link_of(robot, "module2b").joint->upper, std::numbers::pi / 3.0, 1e-12);
  EXPECT_EQ(attribute_of(robot.devices.actuators[0], "gain"), "5");
  EXPECT_EQ(attribute_of(robot.devices.actuators[1], "gain"), "2");
  EXPECT_EQ(attribute_of(robot.devices.actuators[1], "max_speed"), "1");
  EXPECT_EQ(attribute_of(robot.devices.actuators[2], "max_speed"), "3");
}

TEST(Chain, AFrameMayHaveGivenShapes) {
  const Robot robot = robot_of(
      "<chain modules='2'><front><mesh src='frame.stl' scale='0.001 0.001 0.001'/></front>"
      "<rear><box size='0.1 0.1 0.1' density='500'/><sphere radius='0.02'/></rear></chain>");
  const Link& front = link_of(robot, "module2a");
  EXPECT_EQ(std::get<MeshFile>(front.shapes.at(0).geometry).src, "frame.stl");
  EXPECT_DOUBLE_EQ(*front.shapes[0].mass, 0.1);
  EXPECT_EQ(link_of(robot, "module1b").shapes.size(), 2u);
  EXPECT_EQ(link_of(robot, "module1b").shapes[0].mass, std::nullopt);
}

TEST(Chain, SensorsSitOnTheFacesTheyName) {
  const Robot robot = robot_of(
      "<chain><sensor_module><force_plate/><force_plate place='left'/><force_plate place='top'/><force_plate "
      "place='right' "
      "name='elbow'/>"
      "<face_distance/><face_distance place='rear'/><face_distance place='left'/><face_distance "
      "place='right'/><face_distance "
      "place='top'/>"
      "<face_distance place='bottom' range='0.5'/><face_distance place='free' position='0 0.01 0.03' rpy='0 0 "
      "45 deg'/>"
      "</sensor_module><module/></chain>");
  EXPECT_EQ(
      names_of(robot.devices.sensors),
      (std::vector<std::string>{"pose head", "distance eye1_front", "distance eye1_rear", "distance eye1_left",
                                "distance eye1_right", "distance eye1_top", "distance eye1_bottom",
                                "distance eye1_7", "force pad1_bottom", "force pad1_left", "force pad1_top",
                                "force elbow", "joint_state joint1"}));
  const Link& body = link_of(robot, "sensor1");
  for (const Site& site : body.sites) {
    if (site.name == "eye1_7") continue;
    // It measures along the normal of its face.
    const Vec3 out = site.pose.q * Vec3::UnitX();
    EXPECT_NEAR(out.dot(site.pose.p), out.cwiseAbs().dot(Vec3(0.01, 0.03, 0.03)), 1e-12) << site.name;
  }
  EXPECT_TRUE(link_of(robot, "pad1_bottom").pose.p.isApprox(Vec3(0.0, 0.0, -0.031)));
  EXPECT_TRUE(link_of(robot, "pad1_left").pose.p.isApprox(Vec3(0.0, 0.031, 0.0)));
  EXPECT_EQ(link_of(robot, "elbow").parent, "sensor1");
}

TEST(Chain, LocksAreMeasuredAndDetachableWhereRequested) {
  const Robot robot =
      robot_of("<chain><module/><module detachable='true'/><sensor_module measured='true'/></chain>");
  EXPECT_TRUE(link_of(robot, "module2a").joint->detachable);
  EXPECT_EQ(link_of(robot, "module2a").joint->name, "lock1");
  EXPECT_FALSE(link_of(robot, "sensor1").joint->detachable);
  EXPECT_EQ(names_of(robot.devices.actuators),
            (std::vector<std::string>{"servo joint1", "lock lock1", "servo joint2"}));
  EXPECT_EQ(names_of(robot.devices.sensors).back(), "force lock2");
}

TEST(Chain, TheHeadIsMeasuredAndDetachableWhereItIsFixed) {
  const Robot fixed = robot_of("<chain fixed='true'><module measured='true'/><module/></chain>");
  EXPECT_EQ(link_of(fixed, "module1a").joint->name, "lock0");
  EXPECT_EQ(link_of(fixed, "module1a").joint->type, JointType::kFixed);
  EXPECT_EQ(names_of(fixed.devices.sensors)[0], "force lock0");
  const Robot arm =
      robot_of("<link name='body'/><chain parent='body'><sensor_module detachable='true'/><module/></chain>");
  EXPECT_TRUE(link_of(arm, "sensor1").joint->detachable);
  EXPECT_EQ(names_of(arm.devices.actuators)[0], "lock lock0");
  EXPECT_FALSE(link_of(robot_of("<chain fixed='true' modules='2' measured='true'/>"), "module1a").joint);
  EXPECT_EQ(link_of(robot_of("<chain><module count='2' measured='true'/></chain>"), "module1a").joint->name,
            "base");
}

TEST(Chain, AGaitThatNamesNoJointsGetsThoseOfTheChain) {
  const Robot robot =
      robot_of("<chain modules='5'/>",
               "<controllers><gait name='walk'/><gait name='own' pitch='joint1'/></controllers>");
  EXPECT_EQ(attribute_of(robot.devices.controllers[0], "pitch"), "joint1 joint3 joint5");
  EXPECT_EQ(attribute_of(robot.devices.controllers[0], "yaw"), "joint2 joint4");
  EXPECT_EQ(attribute_of(robot.devices.controllers[1], "yaw"), "");
}

TEST(Chain, SeveralChainsMakeABranchedRobot) {
  const Robot robot = robot_of(
      "<link name='body'><joint name='base' type='free'/><box/></link>"
      "<chain modules='2' pattern='pitch' prefix='left_' parent='body' position='0 0.5 0' rpy='0 0 -90 deg'/>"
      "<chain modules='2' pattern='pitch' prefix='right_' parent='body' position='0 -0.5 0' rpy='0 0 90 "
      "deg'/>");
  EXPECT_EQ(robot.links.size(), 9u);
  EXPECT_EQ(link_of(robot, "left_module1a").parent, "body");
  EXPECT_FALSE(link_of(robot, "left_module1a").joint);
  EXPECT_NEAR(pose_of(robot, link_of(robot, "left_module1a")).p.y(), 0.539, 1e-12);
  EXPECT_NEAR(pose_of(robot, link_of(robot, "right_module2a")).p.y(), -0.617, 1e-12);
}

TEST(Chain, EditsReachTheChainBeforeItIsExpanded) {
  Document document = document_of("<scenario><robot name='r'><chain modules='3'/></robot></scenario>");
  document.set("//chain/@modules", "7", "--set");
  EXPECT_EQ(read_scenario(document).robots[0].links.size(), 14u);
}

TEST(Chain, TheExpandedRobotReadsBackUnchanged) {
  const Scenario scenario =
      read_scenario(document_of("<scenario><robot name='r'><chain measured='true' "
                                "poses='all'><sensor_module><force_plate/><face_distance mass='1 g'/>"
                                "</sensor_module><module count='3'/></chain></robot></scenario>"));
  const std::string text = write_scenario(scenario, Defaults::kOmit);
  EXPECT_EQ(text.find("<chain"), std::string::npos);
  EXPECT_EQ(write_scenario(read_scenario(document_of(text)), Defaults::kOmit), text);
}

TEST(Chain, ErrorsAreReportedAtTheElementInTheFile) {
  const auto errors = [](std::string_view chain) {
    return scenario_errors(fmt::format("<scenario><robot name='r'>\n{}</robot></scenario>", chain));
  };
  EXPECT_EQ(errors("<chain/>"), "t.xml:2:1: error: <chain>: has no modules; give their number or list them\n");
  EXPECT_EQ(errors("<chain modules='2'><module/></chain>"),
            "t.xml:2:8: error: <chain>: both a number and a list of modules are given; expected one of them\n");
  EXPECT_EQ(errors("<chain modules='2' pattern='pitch roll'/>"),
            "t.xml:2:20: error: <chain>: invalid pattern; expected 'pitch' and 'yaw' in the order of the "
            "modules, "
            "such as 'pitch yaw'\n");
  EXPECT_EQ(errors("<chain><module\n gian='3'/></chain>"),
            "t.xml:3:2: error: <module> has no attribute 'gian'; did you mean 'gain'?\n");
  EXPECT_EQ(errors("<chain><sensor_module><force_plate place='under'/></sensor_module></chain>").substr(0, 54),
            "t.xml:2:36: error: <force_plate>: unknown place 'under");
  EXPECT_EQ(errors("<chain><sensor_module><force_plate place='top' position='0 0 1'/></sensor_module></chain>"),
            "t.xml:2:48: error: <force_plate>: position does not apply to a place on a face\n");
  EXPECT_EQ(
      errors("<chain>\n<module measured='true'\ndetachable='true'/><module/></chain>"),
      "t.xml:3:9: error: <module>: measured does not apply to the first module of a free chain, which has no "
      "lock in front\n"
      "t.xml:4:1: error: <module>: detachable does not apply to the first module of a free chain, which has no "
      "lock in front\n");
  EXPECT_EQ(errors("<chain modules='701'/>").substr(0, 30), "t.xml:2:8: error: <chain>: mod");
  EXPECT_EQ(errors("<chain><module count='700'/><module count='700'/><module count='700'/><module "
                   "count='700'/></chain>"),
            "t.xml:2:1: error: <chain>: all chains together have 2800 modules; at most 2500 are allowed\n");
}

}  // namespace
}  // namespace lockstep
