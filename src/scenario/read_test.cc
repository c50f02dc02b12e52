#include "scenario/read.h"

#include "scenario/example_testing.h"
#include "scenario/scenario_testing.h"
#include "scenario/write.h"

namespace lockstep {
namespace {

/// The errors of a joint with these attributes, in line 2.
std::string joint_errors(std::string_view attributes) {
  return scenario_errors(fmt::format(
      "<scenario><robot name='arm'><link name='a'>\n<joint name='elbow' {}/></link></robot></scenario>",
      attributes));
}

TEST(ReadScenario, EmptyScenarioHasTheDefaultsOfTheStruct) {
  const Scenario scenario = read_scenario(document_of("<scenario/>"));
  EXPECT_EQ(scenario.step, Duration(1'000'000));
  EXPECT_EQ(scenario.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(write_scenario(scenario, Defaults::kWriteOut), write_scenario(Scenario{}, Defaults::kWriteOut));
}

TEST(ReadScenario, TheFullExampleHasEveryValue) {
  const Scenario s = read_scenario(document_of(kFullExample));
  EXPECT_EQ(s.step, Duration(500'000));
  EXPECT_EQ(s.description, "Every element, every attribute: \"quotes\", <angles> & Grüße.");
  EXPECT_EQ(s.engine.integrator, Integrator::kRk4);
  ASSERT_EQ(s.engine.own.size(), 1u);
  EXPECT_EQ(s.engine.own[0].name, "ode");
  EXPECT_EQ(s.engine.own[0].attributes[1].value, "0.2 0.8");
  EXPECT_EQ(s.robots[0].links[1].joint->firmness.own[0].attributes[0].name, "stop_erp");
  EXPECT_EQ(s.medium.water_level, -0.1);
  EXPECT_DOUBLE_EQ(s.materials.at(0).density, 7850.0);
  EXPECT_EQ(s.contacts.at(0).collide, false);
  EXPECT_EQ(s.objects.at(0).shapes.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<MeshFile>(s.objects[0].shapes[1].geometry));
  EXPECT_EQ(s.objects.at(0).inertial->products, Vec3(0.01, 0.02, -0.03));
  EXPECT_TRUE(s.objects.at(1).is_static);
  const Robot& arm = s.robots.at(0);
  EXPECT_EQ(arm.links.at(1).joint->lower, -arm.links.at(1).joint->upper.value());
  EXPECT_EQ(arm.links.at(2).joint->armature, 0.1);
  EXPECT_EQ(arm.loops.at(0).tolerance, 0.0005);
  EXPECT_EQ(arm.devices.sensors.at(1).children.at(0).name, "lens");
  EXPECT_EQ(arm.devices.controllers.at(0).text, "return 1 < 2");
  EXPECT_EQ(s.events.at(3).length, Duration(50'000'000));
  EXPECT_EQ(s.events.at(4).at, Duration(6'000'000'001));
  EXPECT_EQ(to_string(s.events.at(4).place), "t.xml:61:3");
}

TEST(ReadScenario, OutOfRangeNamesSubjectValueAndRange) {
  EXPECT_EQ(joint_errors("damping='-1'"),
            "t.xml:2:21: error: joint 'elbow': damping -1 is out of range; expected at least 0 N*m*s/rad\n");
  EXPECT_EQ(joint_errors("type='slide' damping='-1'"),
            "t.xml:2:34: error: joint 'elbow': damping -1 is out of range; expected at least 0 N*s/m\n");
}

TEST(ReadScenario, UnitsOfAJointDependOnItsType) {
  EXPECT_EQ(joint_errors("lower='-90 deg' upper='90 deg'"), "");
  EXPECT_EQ(joint_errors("type='slide' lower='-90 mm' upper='90 mm'"), "");
  EXPECT_EQ(joint_errors("lower='-90 mm'"),
            "t.xml:2:21: error: joint 'elbow': lower: unit 'mm' does not fit; expected an angle in 'rad', such "
            "as '90 "
            "deg'\n");
}

TEST(ReadScenario, RejectsAttributesThatDoNotApplyToAJoint) {
  EXPECT_EQ(joint_errors("type='fixed' damping='1' axis='1 0 0'"),
            "t.xml:2:34: error: joint 'elbow': damping does not apply to a fixed joint\n"
            "t.xml:2:46: error: joint 'elbow': axis does not apply to a fixed joint\n");
  EXPECT_EQ(joint_errors("type='free' position='1 0 0' detachable='true'"),
            "t.xml:2:33: error: joint 'elbow': position does not apply to a free joint\n"
            "t.xml:2:50: error: joint 'elbow': detachable does not apply to a free joint\n");
  EXPECT_EQ(joint_errors("type='ball' initial='1'"),
            "t.xml:2:33: error: joint 'elbow': initial does not apply to a ball joint\n");
}

TEST(ReadScenario, MisspeltAttributesAndElementsAreSuggested) {
  EXPECT_EQ(joint_errors("dampng='1'"),
            "t.xml:2:21: error: <joint> has no attribute 'dampng'; did you mean 'damping'?\n");
  EXPECT_EQ(scenario_errors("<scenario><robot name='r'><link name='a'>\n <jonit/></link></robot></scenario>"),
            "t.xml:2:2: error: <link> cannot contain <jonit>; did you mean <joint>?\n");
  EXPECT_EQ(joint_errors("type='hing'"),
            "t.xml:2:21: error: joint 'elbow': unknown type 'hing'; did you mean 'hinge'?\n");
}

TEST(ReadScenario, MissingAttributesAreErrors) {
  EXPECT_EQ(scenario_errors("<scenario>\n<material/><terrain/></scenario>"),
            "t.xml:2:1: error: <material> needs an attribute 'name'\n"
            "t.xml:2:12: error: <terrain> needs an attribute 'src'\n"
            "t.xml:2:12: error: <terrain> needs an attribute 'size'\n");
}

TEST(ReadScenario, StrayTextIsAnError) {
  EXPECT_EQ(scenario_errors("<scenario>\n  hello <ground/></scenario>"),
            "t.xml:1:1: error: <scenario> contains the text 'hello'; expected only elements\n");
}

TEST(ReadScenario, WrongRootIsAnError) {
  EXPECT_EQ(scenario_errors("<robot name='a'/>"),
            "t.xml:1:1: error: the root is <robot>; expected <scenario>\n");
}

TEST(ReadScenario, SingleElementsAppearAtMostOnce) {
  EXPECT_EQ(scenario_errors("<scenario><engine><mujoco/>\n<mujoco/></engine></scenario>"),
            "t.xml:2:1: error: <engine> contains 2 <mujoco>; expected at most 1\n");
  EXPECT_EQ(scenario_errors("<scenario><engine/>\n<engine/></scenario>"),
            "t.xml:2:1: error: <scenario> contains 2 <engine>; expected at most 1\n");
}

TEST(ReadScenario, EventsAcceptOnlyAttributesOfTheirAction) {
  EXPECT_EQ(scenario_errors("<scenario>\n<event at='1 s' action='stop' target='x' force='1 0 0'/></scenario>"),
            "t.xml:2:31: error: <event>: target does not apply to the action 'stop'\n"
            "t.xml:2:42: error: <event>: force does not apply to the action 'stop'\n");
  EXPECT_EQ(scenario_errors("<scenario>\n<event at='1 s' action='detach'/></scenario>"),
            "t.xml:2:1: error: <event> needs an attribute 'target'\n");
}

TEST(ReadScenario, AStaticObjectHasNoVelocity) {
  EXPECT_EQ(scenario_errors("<scenario>\n<object name='o' static='true' velocity='1 0 0'/></scenario>"),
            "t.xml:2:32: error: object 'o': velocity does not apply to a static object\n");
}

TEST(ReadScenario, ShapesTakeMassOrDensity) {
  EXPECT_EQ(scenario_errors("<scenario><object name='o'>\n<box mass='1' density='2'/></object></scenario>"),
            "t.xml:2:15: error: <box>: both mass and density are given; expected one of them\n");
  EXPECT_EQ(
      scenario_errors("<scenario><object name='o'>\n<mesh src='a.stl' scale='1 0 1'/></object></scenario>"),
      "t.xml:2:19: error: <mesh>: scale has a zero, which leaves no volume\n");
}

TEST(ReadScenario, DescriptionIsAnAttributeOrAnElement) {
  EXPECT_EQ(read_scenario(document_of("<scenario description='a  b'/>")).description, "a b");
  EXPECT_EQ(
      read_scenario(document_of("<scenario><description>\n  a\n  b</description></scenario>")).description,
      "a b");
  EXPECT_EQ(scenario_errors("<scenario description='a'><description x='1'>b</description></scenario>"),
            "t.xml:1:27: error: description is given as attribute and as element; expected one of them\n");
}

TEST(ReadScenario, TheRootMayNameTheSchemaForEditors) {
  EXPECT_EQ(scenario_errors("<scenario xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
                            "xsi:noNamespaceSchemaLocation='scenario.xsd' step='1 ms'/>"),
            "");
}

TEST(ReadScenario, AllErrorsComeInOnePass) {
  const std::string errors = scenario_errors(
      "<scenario step='0'>\n<material density='-1'/>\n<object name='a b'><box size='1 "
      "1'/></object>\n</scenario>");
  EXPECT_EQ(
      errors,
      "t.xml:1:11: error: <scenario>: step 0 is out of range; expected above 0 and at most 1 s\n"
      "t.xml:2:1: error: <material> needs an attribute 'name'\n"
      "t.xml:2:11: error: <material>: density -1 is out of range; expected above 0 kg/m^3\n"
      "t.xml:3:9: error: <object>: name 'a b' has a character other than letters, digits, '_', '-' and '.'\n"
      "t.xml:3:25: error: <box>: size has 2 numbers; expected 3\n");
}

TEST(WriteScenario, ReadsBackAsTheSameScenarioAndWritesTheSameBytes) {
  const Scenario scenario = read_scenario(document_of(kFullExample));
  for (const Defaults defaults : {Defaults::kOmit, Defaults::kWriteOut}) {
    const std::string text = write_scenario(scenario, defaults);
    const Scenario again = read_scenario(document_of(text));
    EXPECT_EQ(write_scenario(again, Defaults::kWriteOut), write_scenario(scenario, Defaults::kWriteOut));
    EXPECT_EQ(write_scenario(again, defaults), text);
    EXPECT_EQ(again.objects[0].pose, scenario.objects[0].pose);
    EXPECT_EQ(again.materials[1].color, scenario.materials[1].color);
  }
}

TEST(WriteScenario, OmitsDefaults) {
  EXPECT_EQ(write_scenario(
                read_scenario(document_of("<scenario name='x' step='1 ms'><ground height='0'/></scenario>")),
                Defaults::kOmit),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scenario name=\"x\">\n  <ground/>\n</scenario>\n");
}

TEST(WriteScenario, AScenarioReadFromSeveralFilesIsSelfContained) {
  const TemporaryFolder folder;
  folder.write("robots/arm.xml", "<robot name='arm'><link name='a'><mesh src='a.stl'/></link></robot>");
  const Document document =
      Document::read_text("<scenario><robot src='robots/arm.xml'/></scenario>", "t.xml", folder.path());
  const std::string written = write_scenario(read_scenario(document), Defaults::kOmit);
  EXPECT_NE(written.find("<mesh src=\"robots/a.stl\"/>"), std::string::npos) << written;
  EXPECT_EQ(write_scenario(read_scenario(document_of(document.text())), Defaults::kOmit), written);
}

}  // namespace
}  // namespace lockstep
