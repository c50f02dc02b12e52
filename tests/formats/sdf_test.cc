// Files of SDF are read as the format defines them: frames, axes, masses, included and nested models, worlds.

#include "formats/sdf/sdf.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

#include "base/temporary_folder_testing.h"
#include "formats/urdf/urdf.h"
#include "imported_robot.h"
#include "model/kinematics.h"

namespace lockstep {
namespace {

constexpr double kRounding = 1e-12;

std::string model_text(const std::string& inside, const std::string& version = "1.9") {
  return "<sdf version='" + version + "'><model name='m'>" + inside + "</model></sdf>";
}

LoadedRobot import_text(const std::string& text) {
  return load_imported(ImportSource{.name = "m.sdf", .bytes = text, .path = "/nowhere/at/all/m.sdf"});
}

SdfWorld read_text(const std::string& text) {
  FormatReport report;
  return read_sdf({.name = "m.sdf", .bytes = text, .path = "/nowhere/at/all/m.sdf"}, report);
}

std::string sdf_error_of(const std::string& text) {
  try {
    (void)import_text(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

bool has_line(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

/// X, Y, Z and roll, pitch, yaw as SDF writes a pose.
Pose pose(double x, double y, double z, double roll, double pitch, double yaw) {
  const auto turn = [](double angle, const Vec3& axis) { return Quat(Eigen::AngleAxisd(angle, axis)); };
  return {Vec3(x, y, z), turn(yaw, Vec3::UnitZ()) * turn(pitch, Vec3::UnitY()) * turn(roll, Vec3::UnitX())};
}

void expect_near(const Pose& a, const Pose& b) {
  EXPECT_LT((a.p - b.p).norm(), kRounding);
  EXPECT_LT((a.q.toRotationMatrix() - b.q.toRotationMatrix()).norm(), kRounding);
}

std::string inertial(double mass) {
  return fmt::format(
      "<inertial><mass>{0}</mass><inertia><ixx>{0}</ixx><iyy>{0}</iyy><izz>{0}</izz></inertia></inertial>",
      mass);
}

TEST(Sdf, PosesAreRelativeToAnyFrame) {
  const SdfWorld world = read_text(model_text(R"(
    <pose>1 2 3 0.1 0.2 0.3</pose>
    <link name="a"><pose>0.1 0.2 0.3 0.4 0 0</pose></link>
    <link name="b"><pose relative_to="a">0 0 1 0 0.5 0</pose></link>
    <frame name="f" attached_to="b"><pose>0.5 0 0 0 0 0.7</pose></frame>
    <link name="c"><pose relative_to="f">0 0.2 0 0 0 0</pose>
      <collision name="s"><pose relative_to="a">0 0 0.1 0 0 0</pose><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link>
    <link name="d"><pose relative_to="j">0 0 0 0 0 0.2</pose></link>
    <joint name="j" type="fixed"><pose relative_to="c">0.1 0 0 0 0 0</pose><parent>c</parent><child>d</child></joint>
    <link name="e"><pose degrees="true">0 0 0 0 0 90</pose></link>
    <link name="q"><pose rotation_format="quat_xyzw">0 0 0 0 0 1 1</pose></link>)"));
  const SdfModel& model = world.models.at(0);
  const Pose a = pose(0.1, 0.2, 0.3, 0.4, 0, 0), b = a * pose(0, 0, 1, 0, 0.5, 0),
             f = b * pose(0.5, 0, 0, 0, 0, 0.7);
  const Pose c = f * pose(0, 0.2, 0, 0, 0, 0), j = c * pose(0.1, 0, 0, 0, 0, 0);
  expect_near(model.pose, pose(1, 2, 3, 0.1, 0.2, 0.3));
  expect_near(model.links.at(0).pose, a);
  expect_near(model.links.at(1).pose, b);
  expect_near(model.links.at(2).pose, c);
  expect_near(model.links.at(2).collisions.at(0).pose, c.inverse() * a * pose(0, 0, 0.1, 0, 0, 0));
  expect_near(model.links.at(3).pose, j * pose(0, 0, 0, 0, 0, 0.2));
  expect_near(model.joints.at(0).pose, pose(0, 0, 0, 0, 0, 0.2).inverse());
  expect_near(model.links.at(4).pose, pose(0, 0, 0, 0, 0, std::numbers::pi / 2));
  expect_near(model.links.at(5).pose, pose(0, 0, 0, 0, 0, std::numbers::pi / 2));
  ASSERT_EQ(model.frames.size(), 1u);
  EXPECT_EQ(model.frames[0].link, "b");
  expect_near(model.frames[0].pose, pose(0.5, 0, 0, 0, 0, 0.7));
}

TEST(Sdf, AxesAreInTheJointUnlessTheFileSaysOtherwise) {
  const auto axis_of = [](const std::string& xyz, const std::string& more, const std::string& version) {
    const SdfWorld world =
        read_text(model_text(R"(<link name="a"/><link name="b"><pose>0 0 0 0.3 0 0</pose></link>
      <frame name="f"><pose>0 0 0 0 0 0.9</pose></frame>
      <joint name="j" type="revolute"><pose>0 0 0 0 0.5 0</pose><parent>a</parent><child>b</child><axis>)" +
                                 xyz + more + "</axis></joint>",
                             version));
    return world.models.at(0).joints.at(0).axes.at(0).direction;
  };
  const Vec3 axis(1.0, 2.0, 3.0);
  const Quat R_MB = pose(0, 0, 0, 0.3, 0, 0).q, R_BJ = pose(0, 0, 0, 0, 0.5, 0).q,
             R_MF = pose(0, 0, 0, 0, 0, 0.9).q;
  const std::string plain = "<xyz>1 2 3</xyz>";
  EXPECT_LT((axis_of(plain, "", "1.9") - R_BJ * axis).norm(), kRounding);
  EXPECT_LT((axis_of(plain, "", "1.5") - R_BJ * axis).norm(), kRounding);
  EXPECT_LT(
      (axis_of(plain, "<use_parent_model_frame>true</use_parent_model_frame>", "1.6") - R_MB.conjugate() * axis)
          .norm(),
      kRounding);
  EXPECT_LT((axis_of(plain, "", "1.4") - R_MB.conjugate() * axis).norm(), kRounding);
  EXPECT_LT((axis_of("<xyz expressed_in='f'>1 2 3</xyz>", "", "1.9") - R_MB.conjugate() * (R_MF * axis)).norm(),
            kRounding);
  EXPECT_LT((axis_of("<xyz expressed_in='__model__'>1 2 3</xyz>", "", "1.9") - R_MB.conjugate() * axis).norm(),
            kRounding);
}

TEST(Sdf, AnArmHasThePosesOfItsJoints) {
  LoadedRobot robot = import_text(
      model_text(R"(<pose>0 0 1 0 0 0</pose>
    <joint name="base" type="fixed"><parent>world</parent><child>a</child></joint>
    <link name="a"/><link name="b"><pose>0.3 0 0 0 0.2 0</pose>)" +
                 inertial(1.0) + "</link><link name='c'><pose relative_to='b'>0 0 0.4 0 0 0</pose>" +
                 inertial(1.0) + R"(</link>
    <joint name="turn" type="revolute"><pose>-0.1 0 0 0 0 0</pose><parent>a</parent><child>b</child>
      <axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1e16</upper><effort>5</effort></limit><dynamics><damping>0.1</damping></dynamics></axis></joint>
    <joint name="push" type="prismatic"><parent>b</parent><child>c</child><axis><xyz>1 0 1</xyz></axis></joint>)"));
  for (Link& link : robot.scenario.robots.at(0).links) {
    if (link.name == "b") link.joint->initial = 0.7;
    if (link.name == "c") link.joint->initial = -0.2;
  }
  const auto model = robot.model();
  const std::vector<Pose> poses = calc_initial_poses(*model);
  // The joint is at (-0.1, 0, 0) of b, and turns about its z.
  const Pose b = pose(0, 0, 1, 0, 0, 0) * pose(0.3, 0, 0, 0, 0.2, 0) * pose(-0.1, 0, 0, 0, 0, 0) *
                 pose(0, 0, 0, 0, 0, 0.7) * pose(0.1, 0, 0, 0, 0, 0);
  const Vec3 along = Vec3(1, 0, 1).normalized() * -0.2;
  expect_near(poses[index(*model->find_body("m/b"))], b);
  expect_near(poses[index(*model->find_body("m/c"))], b * Pose{Vec3(0, 0, 0.4) + along, Quat::Identity()});
  const JointModel& turn = model->joint(*model->find_joint("m/turn"));
  EXPECT_EQ(*turn.lower, -1.0);
  EXPECT_GT(*turn.upper, 1000.0);
  EXPECT_EQ(turn.damping, 0.1);
}

TEST(Sdf, InertiasAreTurnedByTheirPose) {
  const SdfWorld world =
      read_text(model_text(R"(<link name="a"><inertial><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose><mass>2</mass>
    <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz><ixy>0.001</ixy><ixz>0.002</ixz><iyz>0.003</iyz></inertia></inertial></link>)"));
  const MassProperties mass = world.models.at(0).links.at(0).mass.value();
  const Mat3 R = pose(0, 0, 0, 0.4, 0.5, 0.6).q.toRotationMatrix();
  Mat3 I;
  I << 0.02, 0.001, 0.002, 0.001, 0.03, 0.003, 0.002, 0.003, 0.04;
  EXPECT_EQ(mass.mass, 2.0);
  EXPECT_LT((mass.center - Vec3(0.1, 0.2, 0.3)).norm(), kRounding);
  EXPECT_LT((mass.inertia - R * I * R.transpose()).norm(), kRounding);
}

TEST(Sdf, MassesOfShapesAreComputedOnRequest) {
  const LoadedRobot robot =
      import_text(model_text(R"(<link name="a"><inertial auto="true"><density>500</density></inertial>
    <collision name="c"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link>)"));
  const auto model = robot.model();
  EXPECT_NEAR(model->body(*model->find_body("m")).mass.mass, 500 * 0.1 * 0.2 * 0.3, kRounding);
}

TEST(Sdf, AWorldHasGravityGroundsObjectsAndRobots) {
  const LoadedRobot loaded = import_text(
      R"(<sdf version="1.6"><world name="w"><gravity>0 0 -1.62</gravity>
    <physics type="ode"><max_step_size>0.002</max_step_size></physics>
    <model name="floor"><static>true</static><pose>0 0 0.5 0 0 0</pose><link name="l"><collision name="c">
      <geometry><plane><normal>0 0 1</normal></plane></geometry><surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode></friction></surface></collision></link></model>
    <model name="wall"><static>1</static><pose>2 0 0 0 0 0</pose><link name="l"><collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link></model>
    <model name="ball"><pose>0 0 3 0 0 0</pose><link name="l"><pose>0 0 0.5 0 0 0</pose>)" +
      inertial(0.2) + R"(<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry>
      <surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface></collision></link></model>
    <model name="arm"><link name="a">)" +
      inertial(1.0) + "</link><link name='b'>" + inertial(1.0) + R"(</link>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint></model>
    <light name="sun" type="directional"/></world></sdf>)");
  const Scenario& scenario = loaded.scenario;
  EXPECT_EQ(scenario.gravity.z(), -1.62);
  EXPECT_EQ(scenario.step, Duration{2'000'000});
  ASSERT_EQ(scenario.grounds.size(), 1u);
  EXPECT_EQ(scenario.grounds[0].height, 0.5);
  ASSERT_EQ(scenario.objects.size(), 2u);
  EXPECT_TRUE(scenario.objects[0].is_static);
  EXPECT_FALSE(scenario.objects[1].is_static);
  EXPECT_NEAR(scenario.objects[1].pose.p.z(), 3.5, kRounding);
  EXPECT_EQ(scenario.objects[1].inertial->mass, 0.2);
  ASSERT_EQ(scenario.robots.size(), 1u);
  EXPECT_EQ(scenario.robots[0].links[0].joint->type, JointType::kFree);
  // The friction of two surfaces is the smaller one; the default is 1.
  const auto model = loaded.model();
  const auto material_of = [&](const std::string& shape) {
    return std::find_if(model->shapes.begin(), model->shapes.end(),
                        [&](const ShapeModel& each) { return each.collide && each.name.starts_with(shape); })
        ->material;
  };
  EXPECT_EQ(model->contact(material_of("floor"), material_of("wall")).friction, 0.3);
  EXPECT_EQ(model->contact(material_of("ball"), material_of("wall")).friction, 1.0);
  EXPECT_EQ(model->contact(material_of("ball"), material_of("floor")).restitution, 0.5);
  EXPECT_TRUE(has_line(loaded.report.lost, "<light>: ignored"));
}

TEST(Sdf, AWorldWithoutGravityHasTheDefaultOfTheFormat) {
  const LoadedRobot loaded = import_text(R"(<sdf version="1.9"><world name="w"><model name="b"><link name="l">
    <collision name="c"><geometry><sphere/></geometry></collision></link></model></world></sdf>)");
  EXPECT_EQ(loaded.scenario.gravity.z(), -9.8);
  EXPECT_TRUE(has_line(loaded.report.assumed, "1 kg and 1 kg m^2, the defaults of SDF"));
}

TEST(Sdf, JointsOfAllTypes) {
  const std::string bodies = "<link name='a'>" + inertial(1) +
                             "</link><link name='b'><pose>0 0 1 0 0 0</pose>" + inertial(1) +
                             "</link><link name='c'><pose>0 0 2 0 0 0</pose>" + inertial(1) + "</link>";
  const LoadedRobot loaded = import_text(model_text(bodies + R"(
    <joint name="u" type="universal"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
    <joint name="k" type="ball"><parent>b</parent><child>c</child></joint>)"));
  const auto model = loaded.model();
  EXPECT_TRUE(model->joint(*model->find_joint("m/u")).axis.isApprox(Vec3::UnitX()));
  EXPECT_TRUE(model->joint(*model->find_joint("m/u_2")).axis.isApprox(Vec3::UnitY()));
  EXPECT_EQ(model->joint(*model->find_joint("m/k")).type, JointType::kBall);
  const LoadedRobot lossy = import_text(model_text(bodies + R"(
    <joint name="s" type="screw"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><thread_pitch>3</thread_pitch></joint>
    <joint name="g" type="gearbox"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz></axis></joint>)"));
  EXPECT_TRUE(has_line(lossy.report.lost, "screw joint 's': its thread: it only turns"));
  EXPECT_TRUE(has_line(lossy.report.lost, "gearbox joint 'g': its gear ratio: it turns freely"));
}

TEST(Sdf, AJointToALinkThatHasOneClosesALoop) {
  // A parallelogram in the x-z plane.
  const auto bar = [](const char* name, double x, double z) {
    return fmt::format("<link name='{}'><pose>{} 0 {} 0 0 0</pose>{}</link>", name, x, z, inertial(1));
  };
  const auto joint = [](const char* name, const char* parent, const char* child, double x) {
    return fmt::format(
        "<joint name='{}' type='revolute'><pose>{} 0 0 0 0 "
        "0</pose><parent>{}</parent><child>{}</child><axis><xyz>0 1 0</xyz></axis></joint>",
        name, x, parent, child);
  };
  const LoadedRobot loaded = import_text(model_text(
      "<joint name='w' type='fixed'><parent>world</parent><child>base</child></joint>" + bar("base", 0, 0) +
      bar("left", 0, 0) + bar("right", 1, 0) + bar("top", 0, 1) + joint("j1", "base", "left", 0) +
      joint("j2", "base", "right", 0) + joint("j3", "left", "top", 0) + joint("j4", "right", "top", 1)));
  const auto model = loaded.model();
  ASSERT_EQ(model->loops.size(), 1u);
  EXPECT_EQ(model->loops[0].type, LoopType::kHinge);
  const SiteModel &a = model->site(model->loops[0].a), &b = model->site(model->loops[0].b);
  const std::vector<Pose> poses = calc_initial_poses(*model);
  EXPECT_LT((poses[index(a.body)] * a.X_BS.p - Vec3(1, 0, 1)).norm(), kRounding);
  EXPECT_LT((poses[index(b.body)] * b.X_BS.p - Vec3(1, 0, 1)).norm(), kRounding);
  EXPECT_LT((b.X_BS.q * Vec3::UnitZ() - Vec3::UnitY()).norm(), kRounding);
}

TEST(Sdf, AMimicBecomesACoupling) {
  const LoadedRobot loaded = import_text(model_text("<link name='a'/><link name='b'>" + inertial(1) +
                                                    "</link><link name='c'>" + inertial(1) + R"(</link>
    <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
    <joint name="k" type="revolute"><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz>
      <mimic joint="j"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint>)"));
  const auto model = loaded.model();
  ASSERT_EQ(model->couplings.size(), 1u);
  EXPECT_EQ(model->couplings[0].ratio, 2.0);
  EXPECT_NEAR(model->couplings[0].offset, 0.5 - 2.0 * 0.1, kRounding);
}

TEST(Sdf, SensorsThatWeHaveAreRead) {
  const LoadedRobot loaded = import_text(model_text("<link name='a'>" + inertial(1) + R"(
    <sensor name="imu" type="imu"><pose>0 0 0.1 0 0 0</pose></sensor>
    <sensor name="eye" type="lidar"><lidar><scan><horizontal><samples>1</samples></horizontal></scan><range><min>0.05</min><max>4</max></range></lidar></sensor>
    <sensor name="scan" type="gpu_lidar"><ray><scan><horizontal><samples>640</samples></horizontal></scan><range><max>4</max></range></ray></sensor>
    <sensor name="bump" type="contact"/><sensor name="cam" type="camera"/></link><link name="b">)" +
                                                    inertial(1) + R"(</link>
    <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis><sensor name="ft" type="force_torque"/></joint>)"));
  std::vector<std::string> kinds;
  for (const Element& device : loaded.scenario.robots.at(0).devices.sensors) kinds.push_back(device.name);
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"accelerometer", "gyro", "distance", "touch", "joint_state", "force"}));
  EXPECT_TRUE(
      has_line(loaded.report.lost, "sensor 'scan' of link 'a': it scans with 640 rays; a <distance> has one"));
  EXPECT_TRUE(has_line(loaded.report.lost, "sensor 'cam' of link 'a': there is no sensor like 'camera'"));
}

class SdfFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  SdfWorld read(const std::string& name) {
    FormatReport report;
    return read_sdf({.name = name, .bytes = read_whole(folder_.path() / name), .path = folder_.path() / name},
                    report);
  }
  std::string error_of_file(const std::string& name) {
    try {
      (void)read(name);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }
  TemporaryFolder folder_;
};

TEST_F(SdfFiles, IncludedModelsArePartOfTheirModel) {
  write("main.sdf", R"(<sdf version="1.9"><model name="robot"><link name="base"/>
    <include><uri>model://wheel</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>
    <include><uri>model://wheel</uri><name>right</name><pose relative_to="base">0 -1 0 0 0 0</pose><placement_frame>hub</placement_frame></include>
    <joint name="axle" type="continuous"><parent>base</parent><child>left::rim</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>)");
  write("wheel/model.config",
        "<model><name>wheel</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.9'>new.sdf</sdf></model>");
  write(
      "wheel/new.sdf",
      R"(<sdf version="1.9"><model name="wheel"><pose>9 9 9 0 0 0</pose><link name="rim"><pose>0 0 0.5 0 0 0</pose>
    <visual name="v"><geometry><mesh><uri>meshes/rim.stl</uri></mesh></geometry></visual></link>
    <frame name="hub"><pose>0 0 0.5 0 0 0</pose></frame></model></sdf>)");
  const SdfModel model = read("main.sdf").models.at(0);
  ASSERT_EQ(model.links.size(), 3u);
  EXPECT_EQ(model.links[1].name, "left::rim");
  expect_near(model.links[1].pose, pose(0, 1, 0.5, 0, 0, 0));
  expect_near(model.links[2].pose, pose(0, -1, 0, 0, 0, 0));
  EXPECT_EQ(model.links[1].visuals.at(0).mesh, "model://wheel/meshes/rim.stl");
  EXPECT_EQ(model.joints.at(0).child, "left::rim");
}

TEST_F(SdfFiles, WorldsHaveTheSunAndTheGroundOfGazebo) {
  write("w.sdf", R"(<sdf version="1.6"><world name="w"><include><uri>model://sun</uri></include>
    <include><uri>model://ground_plane</uri><pose>0 0 0.25 0 0 0</pose></include></world></sdf>)");
  const LoadedRobot loaded = load_imported(folder_.path() / "w.sdf");
  EXPECT_EQ(loaded.scenario.grounds.at(0).height, 0.25);
  EXPECT_TRUE(has_line(loaded.report.lost, "w.sdf:1:36: the light 'model://sun'"));
}

TEST_F(SdfFiles, IncludesThatNeverEndAreErrors) {
  write(
      "a/model.sdf",
      R"(<sdf version="1.9"><model name="a"><link name="l"/><include><uri>model://b</uri></include></model></sdf>)");
  write(
      "b/model.sdf",
      R"(<sdf version="1.9"><model name="b"><link name="l"/><include><uri>model://a</uri></include></model></sdf>)");
  write("main.sdf",
        R"(<sdf version="1.9"><model name="m"><include><uri>model://a</uri></include></model></sdf>)");
  EXPECT_EQ(error_of_file("main.sdf"),
            "model://b/model.sdf:1:52: error: <include>: 'model://a' includes itself\n");
  write("out.sdf",
        R"(<sdf version="1.9"><model name="m"><include><uri>../secret</uri></include></model></sdf>)");
  EXPECT_NE(error_of_file("out.sdf").find("is outside"), std::string::npos);
  write("none.sdf",
        R"(<sdf version="1.9"><model name="m"><include><uri>model://none</uri></include></model></sdf>)");
  EXPECT_EQ(error_of_file("none.sdf"),
            "none.sdf:1:36: error: <include>: 'model://none/model.sdf' does not exist; give its folder with "
            "--package NAME=FOLDER\n");
}

TEST(Sdf, InvalidFilesAreErrorsWithTheirPlace) {
  for (const auto& [inside, error] : std::map<std::string, std::string>{
           {"<link name='a'><pose relative_to='b'>0 0 0 0 0 0</pose></link>\n<link name='b'><pose "
            "relative_to='a'/></link>",
            "m.sdf:1:36: error: the pose of 'a' depends on itself\n"},
           {"<link name='a'><pose relative_to='bas'/></link><link name='base'/>",
            "m.sdf:1:36: error: unknown frame 'bas'; did you mean 'base'?\n"},
           {"<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/><link name='a'/>",
            "m.sdf:1:36: error: 'g' is attached to itself, or to too many others\n"},
           {"<link name='a'><pose>0 0 nan 0 0 0</pose></link>",
            "m.sdf:1:51: error: <pose>: value nan is out of range; expected -1e9 to 1e9\n"},
           {"<link name='a'><pose>0 0 1</pose></link>",
            "m.sdf:1:51: error: <pose>: value has 3 numbers; expected 6\n"},
           {"<link name='a'/><link name='a'/>", "m.sdf:1:52: error: there is another link 'a'\n"},
           {"<link name='a'/><joint name='j' type='hinge'><parent>world</parent><child>a</child></joint>",
            "m.sdf:1:52: error: <joint> 'j': unknown type 'hinge'; expected one of 'universal', 'fixed', "
            "'continuous', 'revolute', 'prismatic', 'revolute2', 'ball', 'screw', …\n"},
           {"<link name='a'/><joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>",
            "m.sdf:1:52: error: joint 'j': its child is its parent\n"},
           {"<link name='a'/><joint name='j' type='fixed'><parent>a</parent></joint>",
            "m.sdf:1:52: error: joint 'j' has no <child>\n"},
           {"<link name='a'><inertial><mass>x</mass></inertial></link>",
            "m.sdf:1:61: error: <mass>: value 'x' is not a number\n"},
       }) {
    EXPECT_EQ(sdf_error_of(model_text(inside)), error) << inside;
  }
  EXPECT_EQ(sdf_error_of("<sdf version='1.9'/>"), "m.sdf:1:1: error: the file has no <model>\n");
}

TEST(Sdf, LongChainsOfFramesAreErrors) {
  std::string frames = "<link name='f0'/>";
  for (int i = 1; i < 5000; ++i) frames += fmt::format("<frame name='f{}' attached_to='f{}'/>", i, i - 1);
  EXPECT_NE(sdf_error_of(model_text(frames)).find("too many others"), std::string::npos)
      << sdf_error_of(model_text(frames));
  std::string deep;
  for (int i = 0; i < 50; ++i) deep += "<model name='n'>";
  deep += "<link name='l'/>";
  for (int i = 0; i < 50; ++i) deep += "</model>";
  EXPECT_NE(sdf_error_of(model_text(deep)).find("models are nested more than 32 levels deep"),
            std::string::npos);
}

TEST(Sdf, AScenarioBecomesAWorldAndComesBack) {
  const LoadedRobot robot = load_text(R"(<scenario name="t" gravity="0 0 -3.7" step="2 ms">
    <material name="rubber" friction="1.2" restitution="0.4"/><material name="ice" friction="0.1"/>
    <ground name="floor" height="0.2" material="ice"/>
    <object name="crate" position="1 2 3"><box size="0.1 0.2 0.3" mass="4" material="rubber"/></object>
    <object name="wall" static="true" position="0 5 0"><box size="1 1 1" material="ice"/></object>
    <robot name="r"><link name="base"/><link name="arm" parent="base" position="0 0 0.5"><joint name="j" axis="0 1 0" stiffness="3" rest="0.2"/>
      <capsule radius="0.05" length="0.4" mass="2"/><site name="tip" position="0.1 0 0"/></link></robot></scenario>)");
  const TemporaryFolder folder;
  const LoadedRobot back = there_and_back(robot, ".sdf", folder.path());
  const Scenario& scenario = back.scenario;
  EXPECT_EQ(scenario.gravity.z(), -3.7);
  EXPECT_EQ(scenario.step, Duration{2'000'000});
  ASSERT_EQ(scenario.objects.size(), 2u);
  EXPECT_EQ(scenario.grounds.at(0).height, 0.2);
  const auto before = robot.model(), after = back.model();
  const MassProperties a = before->body(*before->find_body("crate")).mass,
                       b = after->body(*after->find_body("crate")).mass;
  EXPECT_NEAR(a.mass, b.mass, kRounding);
  EXPECT_LT((a.inertia - b.inertia).norm(), kRounding);
  const JointModel& j = after->joint(*after->find_joint("r/j"));
  EXPECT_EQ(j.stiffness, 3.0);
  EXPECT_EQ(j.rest, 0.2);
  EXPECT_TRUE(after->find_site("r/tip").has_value());
  const auto material_of = [&](const std::string& shape) {
    return std::find_if(after->shapes.begin(), after->shapes.end(),
                        [&](const ShapeModel& each) { return each.collide && each.name.starts_with(shape); })
        ->material;
  };
  EXPECT_EQ(after->contact(material_of("crate"), material_of("crate")).friction, 1.2);
  EXPECT_EQ(after->contact(material_of("crate"), material_of("wall")).restitution, 0.4);
  EXPECT_EQ(after->contact(material_of("floor"), material_of("wall")).friction, 0.1);
}

}  // namespace
}  // namespace lockstep
