// An imported MuJoCo model moves as in MuJoCo itself, if a scenario supports all of its elements.

#include <gtest/gtest.h>

#include <numeric>

#include "base/temporary_folder_testing.h"
#include "native_comparison.h"

namespace lockstep {
namespace {

class NativeMujoco : public testing::Test {
 protected:
  Difference compare_text(const std::string& text, double seconds = 1.0) {
    const std::filesystem::path file = folder_.path() / "model.xml";
    std::ofstream(file) << text;
    return compare(file, "", seconds);
  }
  TemporaryFolder folder_;
};

void expect_same(const Difference& difference, int joints) {
  EXPECT_EQ(difference.joints, joints);
  EXPECT_LT(difference.largest, kSame) << difference.joint;
}

TEST_F(NativeMujoco, DefaultsClassesAndOrientations) {
  expect_same(compare_text(R"(<mujoco><compiler eulerseq="zyx" autolimits="true"/>
    <default><joint damping="0.1"/><default class="thin"><geom size="0.02"/><joint armature="0.01"/></default></default>
    <worldbody><body childclass="thin" pos="0 0 1" euler="10 20 30">
      <joint name="a" axis="0 1 0" ref="20" range="-30 90"/><geom type="capsule" fromto="0 0 0 0.3 0 0.1"/>
      <body pos="0.3 0 0.1" axisangle="1 0 1 40"><joint name="b" axis="0 1 1" pos="0 0.02 0" stiffness="2" springref="15"/>
        <geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0"/>
        <body pos="0.2 0 0" xyaxes="0 1 0 -1 0 0.2"><joint name="c" type="slide" axis="1 0 0" range="-0.1 0.2"/>
          <geom type="cylinder" size="0.03 0.05" density="500"/>
          <body zaxis="1 1 0"><joint name="d" axis="1 0 0"/><inertial pos="0.05 0 0" mass="0.2" diaginertia="1e-3 2e-3 1.5e-3" quat="1 0.2 0 0"/>
          </body></body></body></body></worldbody></mujoco>)"),
              4);
}

TEST_F(NativeMujoco, SeveralJointsInOneBody) {
  expect_same(compare_text(R"(<mujoco><worldbody><body pos="0 0 1">
    <joint name="x" type="slide" axis="1 0 0" damping="1"/><joint name="y" type="slide" axis="0 1 0" stiffness="20"/>
    <joint name="turn" axis="0 1 0" pos="0 0 0.2" ref="30"/><geom type="box" size="0.1 0.2 0.05" pos="0.1 0 0"/></body></worldbody></mujoco>)"),
              3);
}

TEST_F(NativeMujoco, ABodyWithSeveralJointsDoesNotCollideWithItsParent) {
  expect_same(compare_text(R"(<mujoco><worldbody><geom type="plane" size="0 0 1"/>
    <body name="torso" pos="0 0 0.6"><freejoint/><geom type="box" size="0.1 0.1 0.2"/>
      <body pos="0 0 0.1"><geom type="sphere" size="0.12"/></body>
      <body name="arm" pos="0.1 0 0.15"><joint name="a" axis="0 1 0"/><joint name="b" axis="1 0 0"/>
        <geom type="sphere" size="0.06"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <body pos="0.02 0 0.02"><geom type="sphere" size="0.05"/></body></body></body></worldbody></mujoco>)"),
              2);
}

TEST_F(NativeMujoco, AStaticParentCollides) {
  expect_same(compare_text(R"(<mujoco><worldbody>
    <body pos="0 0 0.3"><geom type="box" size="0.1 0.1 0.02"/>
      <body pos="0 0 0.1"><joint name="a" axis="0 1 0"/><joint name="b" axis="1 0 0"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0.02" size="0.03"/></body></body></worldbody></mujoco>)"),
              2);
}

TEST_F(NativeMujoco, ContactsOfDifferentSurfaces) {
  expect_same(compare_text(R"(<mujoco><option timestep="0.001" cone="elliptic"/>
    <worldbody><geom type="plane" size="0 0 1" friction="0.3" solref="0.01 1"/>
      <body pos="0 0 0.4"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03" friction="0.9" condim="4"/>
        <body pos="0.5 0 0"><joint name="b" axis="0 1 0" damping="0.01"/><geom type="sphere" size="0.05" solimp="0.95 0.99 0.002" solref="0.03 1" priority="1"/>
          <body pos="0.3 0 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="-0.2 0 0 0 0 0" size="0.02" contype="0" conaffinity="0"/>
          </body></body></body></worldbody></mujoco>)"),
              3);
}

TEST_F(NativeMujoco, LoopsCouplingsAndSprings) {
  expect_same(compare_text(R"(<mujoco><option timestep="0.001"/><default><equality solref="0.005 1"/></default>
    <worldbody>
      <body name="crank"><joint name="a" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.02"/>
        <body name="rod" pos="0 0 0.2"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body></body>
      <body name="rocker" pos="0.5 0 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.02"/><site name="s"/></body>
      <body name="left" pos="0 1 0"><joint name="d" axis="0 1 0"/><geom type="box" size="0.1 0.02 0.02" pos="0.1 0 0"/>
        <body name="right" pos="0.3 0 0"><joint name="e" axis="0 1 0"/><geom type="box" size="0.1 0.02 0.02" pos="0.1 0 0"/></body></body>
    </worldbody>
    <equality><connect body1="rod" body2="rocker" anchor="0.5 0 0"/><joint joint1="e" joint2="d" polycoef="0 -0.5 0 0 0"/></equality>
    <contact><exclude body1="crank" body2="rocker"/><exclude body1="rod" body2="rocker"/></contact></mujoco>)"),
              5);
}

TEST_F(NativeMujoco, ExplicitPairsTotalMassAndPointsInTheFile) {
  expect_same(compare_text(R"(<mujoco><compiler settotalmass="3"/><option timestep="0.001"/>
    <asset><mesh name="tip" vertex="0 0 0.05  0.1 0 -0.05  -0.05 0.08 -0.05  -0.05 -0.08 -0.05"/></asset>
    <worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body pos="0 0 0.3"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" contype="0" conaffinity="0" mass="1"/>
        <body pos="0.4 0 0"><joint name="b" axis="0 1 0"/><inertial pos="0 0 0" mass="2" diaginertia="0.01 0.01 0.01"/>
          <geom name="tip" type="mesh" mesh="tip" contype="0" conaffinity="0"/>
          <geom name="knob" size="0.05" pos="0 0 -0.06" contype="0" conaffinity="0" friction="0.2"/></body></body></worldbody>
    <contact><pair geom1="knob" geom2="floor" friction="0.7 0.7 0.01 0.001 0.001" solref="0.01 1"/><pair geom1="floor" geom2="tip"/></contact></mujoco>)"),
              2);
}

TEST_F(NativeMujoco, ContactsCanBeOff) {
  expect_same(
      compare_text(
          R"(<mujoco><option><flag contact="disable"/></option><worldbody><geom type="plane" size="0 0 1"/>
    <body pos="0 0 0.2"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/></body></worldbody></mujoco>)"),
      1);
}

TEST_F(NativeMujoco, MotorsAndServos) {
  expect_same(
      compare_text(
          R"(<mujoco><compiler autolimits="true"/><default><position kp="20" forcerange="-3 3"/></default>
    <worldbody><body><joint name="a" axis="0 1 0" damping="0.5" frictionloss="0.2"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      <body pos="0.3 0 0"><joint name="b" axis="0 1 0" damping="0.2"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
        <body pos="0.3 0 0"><joint name="c" axis="0 0 1" armature="0.01"/><geom type="sphere" size="0.03" pos="0 0.05 0"/></body></body></body></worldbody>
    <actuator><position joint="a"/><velocity joint="b" kv="0.5"/><general joint="c" gainprm="2" biastype="affine" biasprm="0 -2 -0.1" gear="3"/></actuator>
    </mujoco>)"),
      3);
}

std::filesystem::path own_model(const std::string& name) {
  return std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "tests/formats/mjcf" / name;
}

TEST_F(NativeMujoco, AHumanoidWithTwoAndThreeHingesInABody) {
  expect_same(compare(own_model("humanoid.xml"), "", 0.5), 16);
}

TEST_F(NativeMujoco, ServosWithStrongDampingAndImplicitIntegration) {
  expect_same(compare(own_model("servos.xml"), "", 0.5), 5);
  expect_same(compare(own_model("servos.xml"), "raised", 0.5), 5);
}

TEST_F(NativeMujoco, FixedTendonsWithActuatorsAndCouplings) {
  expect_same(compare(own_model("gripper.xml"), "", 0.5), 7);
  expect_same(compare(own_model("gripper.xml"), "open", 0.5), 7);
}

TEST_F(NativeMujoco, GlobalCoordinates) {
  expect_same(compare(own_model("global.xml"), "", 0.5), 5);
  expect_same(compare_text(R"(<mujoco><compiler coordinate="global"/><option timestep="0.001"/><worldbody>
    <body name="a" pos="0 0 1"><joint name="a" pos="0 0 1" axis="0 1 0"/><geom type="capsule" fromto="0 0 1 0 0 1.2" size="0.02"/></body>
    <body name="b" pos="0.5 0 1" euler="0 0 90"><joint name="b" pos="0.5 0 1" axis="0 1 0"/>
      <geom type="capsule" fromto="0.5 0 1 0.5 0 1.2" size="0.02"/>
      <body name="c" pos="0.5 0 1.2"><joint name="c" pos="0.5 0 1.2" axis="0 1 0"/>
        <geom type="capsule" fromto="0.5 0 1.2 0.05 0 1.2" size="0.01"/></body></body></worldbody>
    <equality><connect body1="c" body2="a" anchor="0 0 1.2"/></equality></mujoco>)"),
              3);
}

TEST_F(NativeMujoco, TheOutermostClassIsTheDefaultWhateverItsName) {
  expect_same(compare_text(R"(<mujoco><default class="robot"><joint damping="3"/></default><worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0"/>
      <body pos="0.3 0 0"><joint name="b" class="robot" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0"/></body></body>
    </worldbody></mujoco>)"),
              2);
}

TEST_F(NativeMujoco, OddValuesDoNotRejectARobot) {
  expect_same(compare_text(R"(<mujoco><compiler balanceinertia="true"/><worldbody>
    <body name="plate" pos="0 0 1"><joint name="a" axis="0 1 0"/><inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.01 0.02"/>
      <body name="rod" pos="0.2 0 0"><joint name="b" axis="0 1 0"/><inertial pos="0.1 0 0" mass="0.3" diaginertia="1e-12 0.001 0.001"/>
        <body name="endless" pos="0.2 0 0"><joint name="c" axis="1 0 0" armature="0.001" limited="true" range="-1e12 1e12"/>
          <inertial pos="0.05 0 0.01" mass="0.1" fullinertia="0.1 0.2 0.3 0 0 0"/>
          <body name="thin" pos="0.2 0 0"><joint name="d" axis="0 1 0"/><geom type="box" size="0.1 0.1 1e-7" density="1e6"/>
            <body name="odd" pos="0.2 0 0"><joint name="e" axis="0 1 0"/><inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.01 0.05"/>
            </body></body></body></body></body></worldbody></mujoco>)"),
              5);
}

TEST_F(NativeMujoco, ShortListsKeepTheRestOfTheirClass) {
  expect_same(compare_text(R"(<mujoco><option timestep="0.001"/>
    <default><geom friction="0.2 0.05 0.01" solimp="0.8 0.9 0.01"/><default class="wide"><geom size="0.05 0.1" condim="6" friction="0.5"/></default></default>
    <worldbody><geom type="plane" size="0 0 1" condim="1"/>
      <body pos="0 0 0.2" childclass="wide"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <joint name="turn" axis="0 1 0"/><joint name="spin" axis="0 0 1"/>
        <geom type="capsule" size="0.06" pos="0.1 0 0" friction="1.1" solimp="0.7"/></body></worldbody></mujoco>)"),
              4);
}

TEST_F(NativeMujoco, MarginsAndGaps) {
  // A ball that rests at its margin, one with a gap, and a pair with a margin of its own.
  const Difference difference = compare_text(R"(<mujoco><option timestep="0.001"/>
    <worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body pos="0 0 0.13"><joint name="a" type="slide" axis="0 0 1"/><geom size="0.1" margin="0.02"/></body>
      <body pos="1 0 0.13"><joint name="b" type="slide" axis="0 0 1"/><geom size="0.1" margin="0.03" gap="0.02"/></body>
      <body pos="2 0 0.13"><joint name="c" type="slide" axis="0 0 1"/><geom name="c" size="0.1" contype="0" conaffinity="0"/></body>
      <body pos="3 0 0.13"><joint name="d" type="slide" axis="0 0 1"/><geom size="0.1"/></body>
    </worldbody><contact><pair geom1="floor" geom2="c" margin="0.01"/></contact></mujoco>)");
  EXPECT_FALSE(difference.is_reported);
  expect_same(difference, 4);
}

TEST_F(NativeMujoco, AMarginNeedsTheContactsOfMujoco) {
  const LoadedRobot robot = load_text(R"(<scenario name="s"><ground name="g" material="m"/><material name="m"/>
    <material_pair a="m" b="m"><mujoco margin="1 cm"/></material_pair>
    <object name="o"><sphere radius="0.1" material="m"/></object></scenario>)");
  Diagnostics diagnostics;
  try {
    (void)assemble(robot.scenario, robot.assets(), default_registry(), diagnostics);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "robot.xml:2:32: error: <mujoco>: margin needs MuJoCo's own contacts: level_sliding=\"false\" in "
        "<engine>, and no restitution of any material\n");
  }
}

TEST_F(NativeMujoco, MeshesHaveTheMassThatMujocoGivesThem) {
  // An L, which is not convex; MuJoCo's default is wrong for it.
  for (const char* exact : {"true", "false"}) {
    const Difference difference = compare_text(fmt::format(R"(<mujoco><compiler exactmeshinertia="{}"/><asset>
      <mesh name="l" scale="0.1 0.1 0.1" vertex="0 0 0 2 0 0 2 1 0 1 1 0 1 3 0 0 3 0 0 0 1 2 0 1 2 1 1 1 1 1 1 3 1 0 3 1"
        face="0 2 1 0 3 2 0 5 3 5 4 3 6 7 8 6 8 9 6 9 11 11 9 10 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11"/></asset>
      <worldbody><body><joint name="a" axis="0 1 0" stiffness="30" damping="0.2"/><geom type="mesh" mesh="l" density="200"/>
        <body pos="0.4 0 0"><joint name="b" axis="0 1 0" stiffness="30" damping="0.2"/><geom type="mesh" mesh="l" mass="0.5"/></body></body></worldbody></mujoco>)",
                                                           exact));
    EXPECT_FALSE(difference.is_reported) << exact;
    expect_same(difference, 2);
  }
}

TEST_F(NativeMujoco, LeastMassesApplyToBodiesWithoutMass) {
  expect_same(compare_text(R"(<mujoco><compiler boundmass="0.05" boundinertia="0.0005"/><worldbody>
    <body><joint name="a" axis="0 1 0" damping="0.01"/><geom type="box" size="0.02 0.02 0.02" pos="0.1 0 0" mass="0"/>
      <body name="tool" pos="0.3 0 0"><joint name="b" axis="0 1 0" damping="0.01"/><geom size="0.04"/></body></body></worldbody>
    <contact><exclude body1="tool" body2="tool"/></contact></mujoco>)"),
              2);
}

TEST_F(NativeMujoco, FlagsThatDisableElements) {
  for (const char* flag : {"actuation", "equality", "limit", "frictionloss", "constraint"}) {
    const Difference difference =
        compare_text(fmt::format(R"(<mujoco><option><flag {}="disable"/></option><worldbody>
    <body name="one"><joint name="a" axis="0 1 0" damping="0.1" limited="true" range="-10 10" frictionloss="0.1"/><geom size="0.05" pos="0.2 0 0"/>
      <body name="two" pos="0.4 0 0"><joint name="b" axis="0 1 0" damping="0.1"/><geom size="0.05"/></body></body></worldbody>
    <equality><joint joint1="b" joint2="a" polycoef="0 0.5 0 0 0"/></equality>
    <actuator><position joint="a" kp="5"/></actuator></mujoco>)",
                                 flag));
    EXPECT_FALSE(difference.is_reported) << flag;
    expect_same(difference, 2);
  }
}

TEST_F(NativeMujoco, SensorsReadTheSame) {
  Native native(own_model("gripper.xml"));
  mj_resetDataKeyframe(native.model.get(), native.data.get(), 0);
  const LoadedRobot robot = load_imported(own_model("gripper.xml"), "open");
  Diagnostics diagnostics;
  Simulation ours = assemble(robot.scenario, robot.assets(), default_registry(), diagnostics);
  for (int i = 0; i < 100; ++i) {
    mj_step(native.model.get(), native.data.get());
    ASSERT_TRUE(ours.step().ok());
  }
  const auto read = [&](const std::string& signal) {
    return ours.row()[*ours.signals().find("gripper/" + signal)];
  };
  const auto theirs = [&](const char* sensor) {
    return native.data->sensordata +
           native.model->sensor_adr[mj_name2id(native.model.get(), mjOBJ_SENSOR, sensor)];
  };
  // MuJoCo's sensors describe the start of its last step, as our row does.
  EXPECT_NEAR(read("ground/distance"), *theirs("ground"), kSame);
  EXPECT_NEAR(read("speed/vx"), theirs("speed")[0], kSame);
  EXPECT_NEAR(read("speed/vz"), theirs("speed")[2], kSame);
  // Our force sensors describe the start of the step before the row.
  const Vec3 force = Eigen::Map<const Vec3>(theirs("load")), torque = Eigen::Map<const Vec3>(theirs("moment"));
  ASSERT_TRUE(ours.step().ok());
  EXPECT_NEAR((Vec3(read("load/force_x"), read("load/force_y"), read("load/force_z")) - force).norm(), 0.0,
              1e-6);
  EXPECT_NEAR((Vec3(read("moment/torque_x"), read("moment/torque_y"), read("moment/torque_z")) - torque).norm(),
              0.0, 1e-6);
}

struct EnergyGain {
  double largest = 0.0;  ///< above that at the start and the work of the actuators, J
  double scale = 0.0;    ///< largest kinetic energy, J
};

EnergyGain measure_energy(const std::filesystem::path& file, const std::string& key, double seconds) {
  const LoadedRobot robot = load_imported(file, key);
  Diagnostics diagnostics;
  Simulation simulation = assemble(robot.scenario, robot.assets(), default_registry(), diagnostics);
  const ReportParts parts{.energy = true, .work = true};
  const double start = simulation.world().report(parts).energy.total();
  EnergyGain gain;
  while (simulation.now().seconds < seconds) {
    const Status status = simulation.step();
    if (!status.ok()) throw std::runtime_error(to_string(status));
    const WorldReport report = simulation.world().report(parts);
    const double work = std::accumulate(report.work.by_source.begin(), report.work.by_source.end(), 0.0);
    gain.scale = std::max(gain.scale, report.energy.kinetic);
    gain.largest = std::max(gain.largest, report.energy.total() - start - work);
  }
  return gain;
}

TEST_F(NativeMujoco, EnergyIsBoundedByTheWorkOfActuators) {
  // Soft contacts, limits and couplings store energy, which is not part of the total.
  constexpr double kStored = 0.02;
  for (const auto& [name, key] : {std::pair("humanoid.xml", ""), std::pair("servos.xml", "raised"),
                                  std::pair("gripper.xml", "open"), std::pair("global.xml", "")}) {
    const EnergyGain gain = measure_energy(own_model(name), key, 5.0);
    EXPECT_LT(gain.largest, kStored * gain.scale) << name;
  }
}

TEST_F(NativeMujoco, ReportsUnsupportedElements) {
  const std::filesystem::path file = folder_.path() / "model.xml";
  std::ofstream(file)
      << R"(<mujoco><option density="1.2" noslip_iterations="3"/><worldbody><light/><body name="b"><freejoint/>
    <geom type="ellipsoid" size="0.1 0.2 0.3"/><geom size="0.1"/><site name="s"/><camera/></body></worldbody>
    <tendon><fixed name="f"><joint joint="x" coef="1"/></fixed><spatial name="m"><site site="s"/></spatial></tendon>
    <actuator><muscle name="m" tendon="f"/></actuator><sensor><touch name="t" site="s"/></sensor><custom/></mujoco>)";
  const LoadedRobot robot = load_imported(file);
  std::string lost;
  for (const auto* lines : {&robot.report.lost, &robot.report.differs}) {
    for (const std::string& line : *lines) lost += line + "\n";
  }
  for (const char* line :
       {"density of <option>", "noslip_iterations of <option>", "<light>", "<camera>", "ellipsoid of body 'b'",
        "<fixed> 'f' of <tendon>", "<muscle> 'm'", "<touch> 't': it measures all contacts", "<custom>"})
    EXPECT_NE(lost.find(line), std::string::npos) << line << "\n" << lost;
}

bool is_loaded_by_mujoco(const std::filesystem::path& file) {
  try {
    return Native(file).model != nullptr;
  } catch (const std::runtime_error&) {
    return false;
  }
}

TEST_F(NativeMujoco, EachThirdPartyModelIsTheSameOrDiffersAsReported) {
  const auto material = find_material();
  if (!material) GTEST_SKIP() << "third-party test files are not available";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*material / "mjcf")) {
    if (entry.path().extension() != ".xml" || !is_loaded_by_mujoco(entry.path())) continue;
    Difference difference;
    try {
      difference = compare(entry.path(), "", 0.5);
    } catch (const std::exception& error) {
      ADD_FAILURE() << entry.path() << ": " << error.what();
    }
    EXPECT_TRUE(difference.largest < kSame || difference.is_reported)
        << entry.path() << ": " << difference.largest << ", " << difference.joint;
  }
}

TEST_F(NativeMujoco, ThirdPartyRobots) {
  const auto material = find_material();
  if (!material) GTEST_SKIP() << "third-party test files are not available";
  expect_same(compare(*material / "mjcf/trossen_vx300s/vx300s.xml", "home", 1.0), 8);
  expect_same(compare(*material / "mjcf/agility_cassie/cassie.xml", "home", 1.0), 20);
  const Difference quadrotor = compare(*material / "mjcf/bitcraze_crazyflie_2/cf2.xml", "hover", 1.0);
  expect_same(quadrotor, 0);
  EXPECT_EQ(quadrotor.bodies, 1);
}

TEST_F(NativeMujoco, AThirdPartyQuadrotorRuns) {
  const auto material = find_material();
  if (!material) GTEST_SKIP() << "third-party test files are not available";
  const LoadedRobot robot = load_imported(*material / "mjcf/bitcraze_crazyflie_2/scene.xml", "hover");
  Diagnostics diagnostics;
  Simulation simulation = assemble(robot.scenario, robot.assets(), default_registry(), diagnostics);
  // It hovers: its thrust equals its weight.
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(simulation.step().ok());
  EXPECT_NEAR(simulation.world().joint_position(JointId{0})[2], 0.1, 1e-3);
}

}  // namespace
}  // namespace lockstep
