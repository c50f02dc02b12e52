#include <sys/stat.h>

#include <cmath>

#include "scenario/assets.h"
#include "scenario/scenario_testing.h"

namespace lockstep {
namespace {

/// Messages show the path of the main file as given, so the tests use one relative to the working folder.
class Include : public testing::Test {
 protected:
  Include() : before_(std::filesystem::current_path()) { std::filesystem::current_path(folder_.path()); }
  ~Include() override { std::filesystem::current_path(before_); }

  std::string errors(std::string_view main) {
    folder_.write("models/main.xml", main);
    return error_of([] { read_scenario(Document::read_file("models/main.xml")); });
  }
  Scenario read(std::string_view main) {
    folder_.write("models/main.xml", main);
    return read_scenario(Document::read_file("models/main.xml"));
  }

  TemporaryFolder folder_;

 private:
  std::filesystem::path before_;
};

TEST_F(Include, IsReplacedByTheChildrenOfTheOtherFile) {
  folder_.write("models/parts.xml",
                "<scenario name='parts'><ground/><include src='more.xml'/><material name='b'/></scenario>");
  folder_.write("models/more.xml", "<scenario><material name='a'/></scenario>");
  const Scenario scenario = read("<scenario><include src='parts.xml'/><material name='c'/></scenario>");
  ASSERT_EQ(scenario.materials.size(), 3u);
  EXPECT_EQ(scenario.grounds.size(), 1u);
  EXPECT_EQ(scenario.materials[0].name, "a");
  EXPECT_EQ(scenario.materials[2].name, "c");
  EXPECT_EQ(to_string(scenario.materials[0].place), "models/more.xml:1:11");
}

TEST_F(Include, MayContainARobot) {
  folder_.write("models/arm.xml", "<robot name='arm'><link name='a'/></robot>");
  EXPECT_EQ(read("<scenario><include src='arm.xml'/></scenario>").robots.at(0).name, "arm");
}

TEST_F(Include, ErrorsInsideTheFileNameThatFile) {
  folder_.write("models/sub/parts.xml", "<scenario>\n  <material nme='a'/>\n</scenario>");
  EXPECT_EQ(errors("<scenario><include src='sub/parts.xml'/></scenario>"),
            "models/sub/parts.xml:2:13: error: <material> has no attribute 'nme'; did you mean 'name'?\n");
  folder_.write("models/sub/parts.xml", "<scenario>");
  EXPECT_EQ(errors("<scenario><include src='sub/parts.xml'/></scenario>"),
            "models/sub/parts.xml:1:1: error: <scenario> is never closed; expected </scenario>\n");
}

TEST_F(Include, RootAttributesBelongToTheMainFile) {
  folder_.write("models/parts.xml", "<scenario name='parts' step='2 ms'/>");
  EXPECT_EQ(
      errors("<scenario><include src='parts.xml'/></scenario>"),
      "models/parts.xml:1:24: error: <scenario> of an included file cannot have 'step'; write it in the main "
      "file 'models/main.xml'\n");
}

TEST_F(Include, ReportsUnreadableFilesAtSrc) {
  folder_.write("outside.xml", "<scenario/>");
  folder_.write("models/model.xml", "<model/>");
  std::filesystem::create_symlink("../outside.xml", "models/link.xml");
  EXPECT_EQ(
      errors("<scenario>\n"
             "<include src='none.xml'/>\n"
             "<include src='../outside.xml'/>\n"
             "<include src='a/../../outside.xml'/>\n"
             "<include src='/etc/passwd'/>\n"
             "<include src='link.xml'/>\n"
             "<include src='.'/>\n"
             "<include src=''/>\n"
             "<include src='model.xml'/>\n"
             "<include/>\n"
             "<include src='none.xml' name='x'><a/></include>\n"
             "</scenario>"),
      "models/main.xml:2:10: error: <include>: src 'none.xml' does not exist\n"
      "models/main.xml:3:10: error: <include>: src '../outside.xml' leaves the folder of the scenario; "
      "expected "
      "a file below it\n"
      "models/main.xml:4:10: error: <include>: src 'a/../../outside.xml' leaves the folder of the scenario; "
      "expected a file below it\n"
      "models/main.xml:5:10: error: <include>: src '/etc/passwd' is an absolute path; expected one relative to "
      "the scenario\n"
      "models/main.xml:6:10: error: <include>: src 'link.xml' is a link that leaves the folder of the "
      "scenario\n"
      "models/main.xml:7:10: error: <include>: src '.' leaves the folder of the scenario; expected a file "
      "below "
      "it\n"
      "models/main.xml:8:10: error: <include>: src '' names no file\n"
      "models/main.xml:9:10: error: <include>: 'model.xml' contains <model>; expected <scenario> or <robot>\n"
      "models/main.xml:10:1: error: <include> needs an attribute 'src'\n"
      "models/main.xml:11:1: error: <include> must be empty\n"
      "models/main.xml:11:10: error: <include>: src 'none.xml' does not exist\n"
      "models/main.xml:11:25: error: <include> has no attribute 'name'; expected only 'src'\n");
}

TEST_F(Include, RejectsFoldersAndPipes) {
  std::filesystem::create_directories("models/sub");
  ASSERT_EQ(mkfifo("models/pipe", 0600), 0);
  EXPECT_EQ(errors("<scenario><include src='sub'/><include src='pipe'/></scenario>"),
            "models/main.xml:1:20: error: <include>: src 'sub' is a folder; expected a file\n"
            "models/main.xml:1:40: error: <include>: src 'pipe' is not a regular file\n");
}

TEST_F(Include, CycleIsAnError) {
  folder_.write("models/a.xml", "<scenario><include src='b.xml'/></scenario>");
  folder_.write("models/b.xml", "<scenario><include src='./a.xml'/></scenario>");
  EXPECT_EQ(errors("<scenario><include src='a.xml'/></scenario>"),
            "models/b.xml:1:20: error: <include>: './a.xml' includes itself\n");
  EXPECT_EQ(errors("<scenario><include src='main.xml'/></scenario>"),
            "models/main.xml:1:20: error: <include>: 'main.xml' includes itself\n");
}

TEST_F(Include, TooManyFilesAreAnError) {
  folder_.write("models/a.xml", "<scenario><include src='b.xml'/><include src='b.xml'/></scenario>");
  folder_.write("models/b.xml", "<scenario/>");
  std::string main = "<scenario>";
  for (int i = 0; i < 100; ++i) main += "<include src='a.xml'/>";
  EXPECT_EQ(errors(main + "</scenario>"),
            "models/a.xml:1:20: error: <include>: too many files are included; at most 256 are allowed\n");
}

TEST_F(Include, IsRejectedOutsideScenario) {
  EXPECT_EQ(errors("<scenario><robot name='r'><include src='a.xml'/></robot></scenario>"),
            "models/main.xml:1:27: error: <robot> cannot contain <include>, which is in <scenario> only\n");
}

TEST_F(Include, RobotOverridesTheAttributesOfItsFile) {
  folder_.write("models/robots/arm.xml",
                "<robot name='arm' src='base.xml' position='1 1 1' self_collide='false'>"
                "<link name='b'/><sensors><joint_state name='s'/></sensors></robot>");
  folder_.write("models/robots/base.xml", "<robot name='base' rpy='0 0 1'><link name='a'/></robot>");
  const Robot robot = read(
                          "<scenario><robot name='left' src='robots/arm.xml' position='2 0 0'>"
                          "<link name='c'/><sensors><joint_state name='t'/></sensors></robot></scenario>")
                          .robots.at(0);
  EXPECT_EQ(robot.name, "left");
  EXPECT_EQ(robot.pose.p, Vec3(2, 0, 0));
  EXPECT_NEAR(robot.pose.q.z(), std::sin(0.5), 1e-15);
  EXPECT_FALSE(robot.self_collide);
  ASSERT_EQ(robot.links.size(), 3u);
  EXPECT_EQ(robot.links[0].name + robot.links[1].name + robot.links[2].name, "abc");
  EXPECT_EQ(to_string(robot.links[0].place), "models/robots/base.xml:1:32");
  ASSERT_EQ(robot.devices.sensors.size(), 2u);
  EXPECT_EQ(robot.devices.sensors[1].attributes[0].value, "t");
}

TEST_F(Include, RobotOrientationOverridesEitherFormInTheFile) {
  folder_.write("models/arm.xml", "<robot name='arm' orientation='0 1 0 0'/>");
  EXPECT_EQ(errors("<scenario><robot src='arm.xml' rpy='0 0 0'/></scenario>"), "");
}

TEST_F(Include, RobotFileMustHoldARobot) {
  folder_.write("models/a.xml", "<scenario/>");
  EXPECT_EQ(errors("<scenario><robot name='r' src='a.xml'/><robot name='s' src='b.xml'/></scenario>"),
            "models/main.xml:1:27: error: <robot>: 'a.xml' contains <scenario>; expected <robot>\n"
            "models/main.xml:1:56: error: <robot>: src 'b.xml' does not exist\n");
}

TEST_F(Include, RobotThatNamesItselfIsACycle) {
  folder_.write("models/a.xml", "<robot name='a' src='a.xml'/>");
  EXPECT_EQ(errors("<scenario><robot src='a.xml'/></scenario>"),
            "models/a.xml:1:17: error: <robot>: 'a.xml' includes itself\n");
}

TEST_F(Include, ContainersOfSeveralFilesAreMergedButTwoInOneFileAreAnError) {
  folder_.write("models/a.xml", "<scenario><sensors><pose name='a'/></sensors></scenario>");
  const Scenario scenario =
      read("<scenario><sensors><pose name='m'/></sensors><include src='a.xml'/></scenario>");
  ASSERT_EQ(scenario.devices.sensors.size(), 2u);
  EXPECT_EQ(to_string(scenario.devices.sensors[1].place), "models/a.xml:1:20");
  EXPECT_EQ(errors("<scenario><sensors/><sensors/></scenario>"),
            "models/main.xml:1:21: error: <scenario> contains 2 <sensors>; expected at most 1\n");
}

TEST_F(Include, SrcIsRelativeToTheFileItIsIn) {
  folder_.write("models/robots/arm.xml",
                "<robot name='arm'><link name='a'><mesh src='meshes/a.stl'/></link></robot>");
  folder_.write("models/robots/meshes/a.stl", "solid");
  folder_.write("models/main.xml", "<scenario><robot src='robots/arm.xml'/></scenario>");
  const Document document = Document::read_file("models/main.xml");
  const Scenario scenario = read_scenario(document);
  const Shape& shape = scenario.robots.at(0).links.at(0).shapes.at(0);
  const std::string& src = std::get<MeshFile>(shape.geometry).src;
  EXPECT_EQ(src, "robots/meshes/a.stl");
  EXPECT_EQ(Assets(scenario, document.root_folder()).load(src, shape.place, "<mesh>").size(), 5u);
}

}  // namespace
}  // namespace lockstep
