#include <gtest/gtest.h>

#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <gp_Ax2.hxx>
#include <map>

#include "assemble/assemble.h"
#include "base/temporary_folder_testing.h"
#include "design/result.h"
#include "design/script.h"
#include "geometry/assembly_reader.h"

/// An assembly with the names of ImperiSim 2.0, written by OpenCASCADE like a CAD program, becomes a robot
/// whose motors and sensors are at the ports given by the names.
namespace lockstep {
namespace {

/// Writes assemblies in millimetres.
class StepAssembly {
 public:
  StepAssembly() {
    XCAFApp_Application::GetApplication()->NewDocument("MDTV-XCAF", document_);
    shapes_ = XCAFDoc_DocumentTool::ShapeTool(document_->Main());
  }

  TDF_Label add_group(const char* name) {
    const TDF_Label label = shapes_->NewShape();
    TDataStd_Name::Set(label, name);
    return label;
  }

  TDF_Label add_box(const char* name, const gp_Pnt& low, const gp_Pnt& high) {
    return add(name, BRepPrimAPI_MakeBox(low, high).Shape());
  }

  /// About y, like a wheel.
  TDF_Label add_wheel(const char* name, double radius, const gp_Pnt& center) {
    const gp_Ax2 axes(gp_Pnt(center.X(), center.Y() - 10.0, center.Z()), gp_Dir(0.0, 1.0, 0.0));
    return add(name, BRepPrimAPI_MakeCylinder(axes, radius, 20.0).Shape());
  }

  void put(const TDF_Label& group, const TDF_Label& part, const char* name) {
    const TDF_Label component = shapes_->AddComponent(group, part, TopLoc_Location());
    TDataStd_Name::Set(component, name);
  }

  void write(const std::filesystem::path& file) {
    shapes_->UpdateAssemblies();
    STEPCAFControl_Writer writer;
    writer.SetNameMode(true);
    ASSERT_TRUE(writer.Transfer(document_));
    ASSERT_EQ(writer.Write(file.c_str()), IFSelect_RetDone);
  }

 private:
  TDF_Label add(const char* name, const TopoDS_Shape& shape) {
    const TDF_Label label = shapes_->AddShape(shape, false);
    TDataStd_Name::Set(label, name);
    return label;
  }

  Handle(TDocStd_Document) document_;
  Handle(XCAFDoc_ShapeTool) shapes_;
};

void write_botball(const std::filesystem::path& file, bool has_locomotion) {
  StepAssembly step;
  const TDF_Label game = step.add_group("game");
  const TDF_Label robot = step.add_group("RTBot1");
  const TDF_Label create = step.add_group("create");
  const TDF_Label arm = step.add_group("RTBot1S0");
  const auto put = [&](const TDF_Label& group, const TDF_Label& part, const char* name) {
    step.put(group, part, name);
  };
  put(create, step.add_box("chassis", {-150, -150, 20}, {150, 150, 60}), "chassis-1");
  put(create, step.add_box("bumper", {155, -100, 20}, {160, 100, 60}), "bumper-1");
  put(robot, create, "create-1");
  put(robot, step.add_wheel("wheel-left", 40.0, {0, 180, 40}), "RTBot1M0-1");
  put(robot, step.add_wheel("wheel-right", 40.0, {0, -180, 40}), "RTBot1M3-1");
  put(robot, step.add_wheel("lamp", 5.0, {0, 100, 80}), "RTBot1LSD1-1");
  // A claw with its own servo and a touch sensor on the arm.
  put(arm, step.add_box("beam", {0, -10, 100}, {100, 10, 120}), "beam-1");
  put(arm, step.add_wheel("claw", 12.0, {110, 0, 110}), "RTBot1S3-1");
  put(arm, step.add_box("button", {125, -5, 100}, {130, 5, 120}), "smtouch7-1");
  put(robot, arm, "RTBot1S0-1");
  put(robot, step.add_box("lever", {-160, 20, 20}, {-155, 40, 60}), "Leversensor2-1");
  put(robot, step.add_box("large", {-160, -40, 20}, {-155, -20, 60}), "lgtouch8-1");
  put(robot, step.add_box("cone0", {170, -5, 30}, {970, 5, 40}), "ETCollide5-1");
  put(robot, step.add_box("cone1", {-5, -1000, 70}, {5, -160, 80}), "ETCollide0-1");
  put(robot, step.add_box("view", {170, -20, 70}, {1170, 20, 110}), "CameraCollide0-1");
  if (has_locomotion) {
    put(robot, step.add_box("stand-x", {-20, -20, 0}, {20, 20, 4}), "RTBot1X-1");
    put(robot, step.add_box("stand-y", {-20, -20, 5}, {20, 20, 9}), "RTBot1Y-1");
    put(robot, step.add_box("stand-t", {-20, -20, 10}, {20, 20, 14}), "RTBot1Theta-1");
  }
  put(game, robot, "RTBot1-1");
  put(game, step.add_box("tube", {500, -300, 0}, {550, 300, 50}), "pvc tube-1");
  put(game, step.add_box("table", {-2000, -2000, -20}, {2000, 2000, 0}), "table-1");
  step.write(file);
}

struct Botball {
  explicit Botball(bool has_locomotion, const std::string& rules = "imperisim") {
    write_botball(folder.path() / "bot.step", has_locomotion);
    folder.write("script.xml", "<design src='bot.step' robot='RTBot1'><rules bundled='" + rules +
                                   "'/>"
                                   "<make_object name='table' parts='table*' static='true'/></design>");
    const DesignScript script = read_script(Document::read_file(folder.path() / "script.xml"));
    const ReadFile none = [](const std::string&, const Place&) { return std::string(); };
    const Design design = run_script(script, read_assembly(folder.path() / "bot.step"), {.read_file = none});
    result = make_result(design, "files", none);
    embed_files(result);
  }

  const Robot& robot() const { return result.scenario.robots.at(0); }

  /// "motor_port 0" → "RTBot1M0", "digital_port 7" → "smtouch7/touch".
  std::map<std::string, std::string> ports() const {
    std::map<std::string, std::string> ports;
    for (const Element& port : robot().devices.connections.at(0).children) {
      const auto text = [&](const char* name) {
        const Attribute* attribute = port.find_attribute(name);
        return attribute == nullptr ? std::string() : attribute->value;
      };
      ports[port.name + " " + text("port") + text("axis")] = text("actuator") + text("signal");
    }
    return ports;
  }

  const Link& link(std::string_view name) const {
    for (const Link& each : robot().links) {
      if (each.name == name) return each;
    }
    throw std::runtime_error("no link");
  }

  TemporaryFolder folder;
  ModelResult result;
};

TEST(ImperisimNames, MotorsAndSensorsAreAtTheirPorts) {
  const std::map<std::string, std::string> expected = {{"motor_port 0", "RTBot1M0"},
                                                       {"motor_port 3", "RTBot1M3"},
                                                       {"motor_port 4", "RTBot1S0"},
                                                       {"motor_port 7", "RTBot1S3"},
                                                       {"motor_port 12", "RTBot1LSD1"},
                                                       {"digital_port 2", "Leversensor2/touch"},
                                                       {"digital_port 8", "lgtouch8/touch"},
                                                       {"digital_port 7", "smtouch7/touch"},
                                                       {"digital_port 12", "bumper/touch"},
                                                       {"digital_port 13", "bumper/touch"},
                                                       {"analog_port 0", "ETCollide0/distance"},
                                                       {"analog_port 5", "ETCollide5/distance"},
                                                       {"camera_port ", "CameraCollide0/azimuth"}};
  EXPECT_EQ(Botball(false).ports(), expected);
}

TEST(ImperisimNames, TheBaseIsAChildOfTheLocomotionLinks) {
  const Botball botball(true);
  const auto ports = botball.ports();
  EXPECT_EQ(ports.at("motor_port 8"), "RTBot1X");
  EXPECT_EQ(ports.at("motor_port 9"), "RTBot1Y");
  EXPECT_EQ(ports.at("motor_port 10"), "RTBot1Theta");
  EXPECT_EQ(ports.at("odometry theta"), "RTBot1Theta-encoder/angle");
  EXPECT_EQ(botball.link("base").parent, "RTBot1Theta");
  EXPECT_EQ(botball.link("RTBot1Theta").parent, "RTBot1Y");
  EXPECT_EQ(botball.link("RTBot1X").parent, "");
}

TEST(ImperisimNames, WheelsTurnAboutTheirAxesAndTheClawIsOnTheArm) {
  const Botball botball(false);
  const Link& wheel = botball.link("RTBot1M0");
  EXPECT_TRUE((wheel.pose.p).isApprox(Vec3(0.0, 0.18, 0.04), 1e-6)) << wheel.pose.p;
  EXPECT_NEAR(std::abs(wheel.joint->axis.y()), 1.0, 1e-9);
  EXPECT_EQ(botball.link("RTBot1S3").parent, "RTBot1S0");
  EXPECT_EQ(botball.link("smtouch7").parent, "RTBot1S0");
  EXPECT_EQ(botball.link("bumper").parent, "base");
  // A cylinder of 40 mm radius and 20 mm length at 1000 kg/m^3.
  EXPECT_NEAR(wheel.inertial->mass, M_PI * 0.04 * 0.04 * 0.02 * 1000.0, 1e-9);
}

TEST(ImperisimNames, FeedThePortsOfBotballPrograms) {
  const Botball botball(false, "botball");
  std::map<std::string, std::string> devices;  // name → kind
  for (const std::vector<Element>* list :
       {&botball.robot().devices.sensors, &botball.robot().devices.actuators}) {
    for (const Element& device : *list) devices[device.find_attribute("name")->value] = device.name;
  }
  const std::map<std::string, std::string> expected = {{"motor0", "dc_motor"},
                                                       {"motor3", "dc_motor"},
                                                       {"encoder0", "encoder"},
                                                       {"encoder3", "encoder"},
                                                       {"servo0", "servo"},
                                                       {"servo3", "servo"},
                                                       {"digital2", "contact"},
                                                       {"digital7", "contact"},
                                                       {"digital8", "contact"},
                                                       {"analog0", "infrared_range"},
                                                       {"analog5", "infrared_range"},
                                                       {"camera", "camera"},
                                                       {"panel", "panel"},
                                                       {"accelerometer", "accelerometer"},
                                                       {"gyro", "gyro"},
                                                       {"pose", "pose"},
                                                       {"create1_left_bump", "contact"},
                                                       {"create1_right_bump", "contact"}};
  EXPECT_EQ(devices, expected);
  Diagnostics diagnostics;
  Simulation simulation =
      assemble(botball.result.scenario, Assets(botball.result.scenario, botball.folder.path()),
               default_registry(), diagnostics);
  EXPECT_TRUE(simulation.step().ok());
  EXPECT_TRUE(simulation.signals().find("RTBot1/analog5/level").has_value());
}

TEST(ImperisimNames, TheRobotRuns) {
  for (const bool has_locomotion : {false, true}) {
    const Botball botball(has_locomotion);
    Diagnostics diagnostics;
    Simulation simulation =
        assemble(botball.result.scenario, Assets(botball.result.scenario, botball.folder.path()),
                 default_registry(), diagnostics);
    EXPECT_TRUE(simulation.step().ok());
  }
}

}  // namespace
}  // namespace lockstep
