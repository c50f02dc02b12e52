// A robot exported to URDF, SDF or MJCF and imported again has the same mass matrix and gravity torques.

#include <gtest/gtest.h>

#include <map>

#include "base/temporary_folder_testing.h"
#include "imported_robot.h"
#include "lockstep/state.h"
#include "model/kinematics.h"
#include "physics/mujoco/compile.h"

namespace lockstep {
namespace {

constexpr int kPoses = 20;
constexpr double kTolerance = 1e-9;  ///< relative to the largest entry of the matrix

/// Joint names common to both: without the robot, and one name for a floating base.
std::string key_of(const JointModel& joint) {
  return joint.type == JointType::kFree ? "floating" : joint.name.substr(joint.name.find('/') + 1);
}

struct Dynamics {
  std::map<std::pair<std::string, int>, std::size_t> rows;  // by joint and degree of freedom
  Eigen::MatrixXd mass;
  Eigen::VectorXd gravity;
};

/// Mass matrix and gravity torques with the joints at these positions; all others at their initial position.
Dynamics calc_dynamics(const Model& model, const std::map<std::string, double>& positions) {
  const CompiledModel compiled = compile(model);
  const mjModel* m = compiled.mujoco.get();
  const MjDataPtr data(mj_makeData(m));
  set_initial_state(compiled, *data);
  std::fill_n(data->qvel, m->nv, 0.0);
  Dynamics result;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const int id = compiled.joints[i];
    if (id < 0) continue;
    const std::string key = key_of(model.joints[i]);
    if (const auto known = positions.find(key); known != positions.end())
      data->qpos[m->jnt_qposadr[id]] = known->second;
    for (int k = 0; k < static_cast<int>(velocity_count(model.joints[i].type)); ++k)
      result.rows[{key, k}] = static_cast<std::size_t>(m->jnt_dofadr[id] + k);
  }
  mj_forward(m, data.get());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> full(m->nv, m->nv);
  mj_fullM(m, full.data(), data->qM);
  result.mass = full;
  result.gravity = Eigen::Map<Eigen::VectorXd>(data->qfrc_bias, m->nv);
  return result;
}

void expect_same_dynamics(const LoadedRobot& robot, const std::string& ending) {
  const TemporaryFolder folder;
  const auto model = robot.model(), back = there_and_back(robot, ending, folder.path()).model();
  Random random(7, ending);
  for (int pose = 0; pose < kPoses; ++pose) {
    std::map<std::string, double> positions;
    for (const JointModel& joint : model->joints) {
      if (joint.type == JointType::kHinge || joint.type == JointType::kSlide)
        positions[key_of(joint)] =
            joint.type == JointType::kHinge ? 6.0 * random.uniform() - 3.0 : random.uniform() - 0.5;
    }
    const Dynamics a = calc_dynamics(*model, positions), b = calc_dynamics(*back, positions);
    ASSERT_EQ(a.rows.size(), b.rows.size());
    const double mass_scale = a.mass.cwiseAbs().maxCoeff(),
                 gravity_scale = std::max(1.0, a.gravity.cwiseAbs().maxCoeff());
    for (const auto& [row, i] : a.rows) {
      ASSERT_TRUE(b.rows.contains(row)) << row.first;
      const auto k = static_cast<Eigen::Index>(i), l = static_cast<Eigen::Index>(b.rows.at(row));
      EXPECT_NEAR(a.gravity[k], b.gravity[l], kTolerance * gravity_scale) << row.first;
      for (const auto& [column, j] : a.rows) {
        EXPECT_NEAR(a.mass(k, static_cast<Eigen::Index>(j)),
                    b.mass(l, static_cast<Eigen::Index>(b.rows.at(column))), kTolerance * mass_scale)
            << row.first << ", " << column.first;
      }
    }
  }
}

/// Anchors away from the origin, rotated frames, full inertias, a slide, a welded link without a shape.
LoadedRobot make_crooked_robot(const std::string& root_joint) {
  return load_text(R"(<scenario name="t"><robot name="r" position="0.1 0.2 0.3" rpy="0.1 0.2 0.3">
    <link name="base" position="0 0 0.1">)" +
                   root_joint + R"(<box size="0.2 0.3 0.1" density="500"/></link>
    <link name="arm" parent="base" position="0.1 0 0.2" rpy="0.4 1.5707963267948966 -0.2">
      <joint name="turn" axis="1 2 -1" position="0.05 -0.02 0.1" lower="-3" upper="3" damping="0.2" armature="0.03"
             initial="0.4"/>
      <inertial mass="2" center="0.1 0.02 -0.03" diagonal="0.02 0.03 0.025" products="0.004 -0.003 0.002"/>
      <capsule radius="0.03" length="0.2"/><site name="tip" position="0.3 0 0"/></link>
    <link name="rail" parent="arm" position="0.3 0 0" rpy="0 0.7 0">
      <joint name="push" type="slide" axis="0 1 1" position="0.3 0.2 0.1" lower="-1" upper="1" friction="0.1"/>
      <cylinder radius="0.02" length="0.3" rpy="0.3 0 0"/></link>
    <link name="plate" parent="rail" position="0 0 0.1"><box size="0.1 0.2 0.02" position="0.05 0 0" rpy="0 0 0.5"/></link>
    <link name="finger" parent="plate" position="0 0.1 0"><joint name="bend" axis="0 0 1" position="0 -0.1 0.02"/>
      <sphere radius="0.05" position="0.1 0 0"/></link>
    <coupling name="gear" joint="bend" follows="turn" ratio="0.5" offset="0.1"/>
    <actuators><torque name="drive" joint="turn" limit="12"/></actuators>
  </robot></scenario>)");
}

class RoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, ACrookedRobotWithAFixedBase) {
  expect_same_dynamics(make_crooked_robot(""), GetParam());
}

TEST_P(RoundTrip, ACrookedRobotWithAFreeBase) {
  expect_same_dynamics(make_crooked_robot(R"(<joint name="base" type="free"/>)"), GetParam());
}

TEST_P(RoundTrip, ACrookedRobotWithAHingedRoot) {
  expect_same_dynamics(make_crooked_robot(R"(<joint name="base" axis="0 1 0" position="0.1 0 0.2"/>)"),
                       GetParam());
}

TEST_P(RoundTrip, AChainOfManyLinks) {
  expect_same_dynamics(
      load_text(R"(<scenario name="t"><robot name="r"><chain modules="33" fixed="true"/></robot></scenario>)"),
      GetParam());
}

TEST_P(RoundTrip, BundledRobots) {
  for (const char* name : {"arms/irmss-arm.xml", "arms/six-joints.xml", "chains/snake.xml"}) {
    SCOPED_TRACE(name);
    expect_same_dynamics(load_packed(LOCKSTEP_SOURCE_DIR "/scenarios/" + std::string(name)), GetParam());
  }
}

TEST_P(RoundTrip, AHumanoidWithSeveralHingesInABody) {
  expect_same_dynamics(load_imported(LOCKSTEP_SOURCE_DIR "/tests/formats/mjcf/humanoid.xml"), GetParam());
}

TEST_P(RoundTrip, ThirdPartyRobots) {
  const auto material = find_material();
  if (!material) GTEST_SKIP() << "third-party test files are not available";
  std::vector<std::filesystem::path> files = {*material / "mjcf/trossen_vx300s/vx300s.xml"};
  // With ball joints, which URDF does not have.
  if (GetParam() == ".mjcf") files.push_back(*material / "mjcf/agility_cassie/cassie.xml");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*material / "urdf")) {
    const bool is_rejected = entry.path().string().find("_negative") != std::string::npos;
    if (entry.path().extension() == ".urdf" && !is_rejected) files.push_back(entry.path());
  }
  EXPECT_GT(files.size(), 10u);
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file);
    expect_same_dynamics(load_imported(file), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, RoundTrip, testing::Values(".urdf", ".sdf", ".mjcf"),
                         [](const auto& ending) { return ending.param.substr(1); });

TEST(RoundTrip, LimitsDampingAndCouplingsReadBack) {
  for (const char* ending : {".urdf", ".sdf", ".mjcf"}) {
    const TemporaryFolder folder;
    const auto model = there_and_back(make_crooked_robot(""), ending, folder.path()).model();
    const JointModel& turn = model->joint(*model->find_joint("r/turn"));
    EXPECT_NEAR(*turn.upper, 3.0, 1e-12);
    EXPECT_NEAR(turn.damping, 0.2, 1e-12);
    EXPECT_NEAR(turn.armature, 0.03, 1e-12);
    ASSERT_EQ(model->couplings.size(), 1u);
    EXPECT_NEAR(model->couplings[0].ratio, 0.5, 1e-12);
    EXPECT_NEAR(model->couplings[0].offset, 0.1, 1e-12);
  }
}

/// The exported file in MuJoCo itself, after some steps.
struct InMujoco {
  explicit InMujoco(const std::filesystem::path& file) {
    install_mujoco_handlers();
    std::array<char, 1000> error{};
    model.reset(mj_loadXML(file.c_str(), nullptr, error.data(), static_cast<int>(error.size())));
    if (!model) throw std::runtime_error(error.data());
    data.reset(mj_makeData(model.get()));
    for (int i = 0; i < 20; ++i) mj_step(model.get(), data.get());
  }
  MjModelPtr model;
  MjDataPtr data;
};

TEST(RoundTrip, MujocoAndWeReadLongChains) {
  for (const int modules : {31, 49, 150}) {
    SCOPED_TRACE(modules);
    const TemporaryFolder folder;
    const LoadedRobot robot = load_text(fmt::format(
        R"(<scenario name="t"><ground/><robot name="r" position="0 0 0.03"><chain modules="{}"/></robot></scenario>)",
        modules));
    const auto model = robot.model(), back = there_and_back(robot, ".mjcf", folder.path()).model();
    ASSERT_EQ(back->joints.size(), static_cast<std::size_t>(modules) + 1);  // locks are rigid
    const std::vector<Pose> poses = calc_initial_poses(*model), poses_back = calc_initial_poses(*back);
    const auto find_last = [](const Model& each) {
      const auto is_last = [](const BodyModel& a, const BodyModel& b) { return a.name.size() < b.name.size(); };
      return static_cast<std::size_t>(std::max_element(each.bodies.begin(), each.bodies.end(), is_last) -
                                      each.bodies.begin());
    };
    EXPECT_LT((poses[find_last(*model)].p - poses_back[find_last(*back)].p).norm(), 1e-9);

    const InMujoco native(folder.path() / "robot.mjcf");
    EXPECT_EQ(native.model->nbody, 2 * modules + 1);
    EXPECT_EQ(native.data->ncon, 8 * modules);  // it lies on the ground
    for (const mjWarningStat& warning : native.data->warning) EXPECT_EQ(warning.number, 0);
    const std::string last = fmt::format("r/module{}b", modules);
    const int tail = mj_name2id(native.model.get(), mjOBJ_BODY, last.c_str());
    ASSERT_GE(tail, 0);
    EXPECT_LT(
        (Eigen::Map<const Vec3>(native.data->xpos + 3 * tail) - poses[index(*model->find_body(last))].p).norm(),
        1e-3);
  }
}

TEST(RoundTrip, MujocoReadsMasslessLinksAsSeveralJointsOfABody) {
  const TemporaryFolder folder;
  (void)there_and_back(load_imported(LOCKSTEP_SOURCE_DIR "/tests/formats/mjcf/humanoid.xml"), ".mjcf",
                       folder.path());
  const InMujoco native(folder.path() / "robot.mjcf"),
      original(LOCKSTEP_SOURCE_DIR "/tests/formats/mjcf/humanoid.xml");
  EXPECT_EQ(native.model->nbody, original.model->nbody);
  EXPECT_EQ(native.model->njnt, original.model->njnt);
}

TEST(RoundTrip, TendonsReadBack) {
  const TemporaryFolder folder;
  const LoadedRobot robot = load_imported(LOCKSTEP_SOURCE_DIR "/tests/formats/mjcf/gripper.xml");
  const LoadedRobot back = there_and_back(robot, ".mjcf", folder.path());
  const auto model = robot.model(), model_back = back.model();
  ASSERT_EQ(model_back->tendons.size(), model->tendons.size());
  for (std::size_t i = 0; i < model->tendons.size(); ++i) {
    const TendonModel &a = model->tendons[i], &b = model_back->tendons[i];
    EXPECT_EQ(b.pulleys.size(), a.pulleys.size());
    EXPECT_EQ(b.pulleys.back().ratio, a.pulleys.back().ratio);
    EXPECT_EQ(b.lower, a.lower);
    EXPECT_EQ(b.damping, a.damping);
    EXPECT_EQ(b.stiffness, a.stiffness);
    EXPECT_EQ(b.held.has_value(), a.held.has_value());
    EXPECT_NEAR(b.held.value_or(0.0), a.held.value_or(0.0), 1e-12);
  }
  EXPECT_EQ(back.scenario.robots[0].devices.actuators.size(), 2u);
  EXPECT_EQ(InMujoco(folder.path() / "robot.mjcf").model->nu, 2);
}

/// A triangle and an open corner of three triangles.
TEST(RoundTrip, MujocoReadsRobotsWithMeshesWithoutVolume) {
  const TemporaryFolder folder;
  const std::string flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n",
                    open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 2 4\n";
  const LoadedRobot robot = load_text(fmt::format(
      R"(<scenario name="t"><robot name="r"><link name="a"><joint name="j" type="free"/><sphere radius="0.1"/>
        <mesh name="label" src="flat.obj" collide="false" mass="0"/><mesh name="shade" src="open.obj" collide="false" mass="0"/>
      </link></robot><file path="flat.obj">{}</file><file path="open.obj">{}</file></scenario>)",
      encode_base64(flat), encode_base64(open)));
  const Assets assets = robot.assets();
  const Exported exported = find_export_format("robot.mjcf", "")
                                .write({.root = robot.root, .scenario = robot.scenario, .assets = assets});
  EXPECT_TRUE(std::any_of(
      exported.report.lost.begin(), exported.report.lost.end(),
      [](const std::string& line) { return line == "mesh of 'r/a/label': it is flat, which MuJoCo rejects"; }));
  (void)there_and_back(robot, ".mjcf", folder.path());
  EXPECT_EQ(InMujoco(folder.path() / "robot.mjcf").model->ngeom, 2);
}

TEST(RoundTrip, ReportsContactsForWhichMujocoHasNoMemory) {
  const LoadedRobot robot = load_text(
      R"(<scenario name="t"><ground/><robot name="r" position="0 0 0.03"><chain modules="450"/></robot></scenario>)");
  const Assets assets = robot.assets();
  const Exported exported = find_export_format("robot.mjcf", "")
                                .write({.root = robot.root, .scenario = robot.scenario, .assets = assets});
  EXPECT_TRUE(
      std::any_of(exported.report.lost.begin(), exported.report.lost.end(), [](const std::string& line) {
        return line.find("contacts at a time: MuJoCo has no memory for them") != std::string::npos;
      }));
}

TEST(RoundTrip, ReportsWhatUrdfDoesNotSupport) {
  const LoadedRobot robot =
      load_text(R"(<scenario name="t" gravity="0 0 -1.6"><robot name="r"><link name="base"/>
    <link name="a" parent="base"><joint name="j" stiffness="3" initial="0.2"/><box mass="1"/><site name="s"/></link>
    <link name="b" parent="base"><joint name="k" type="ball"/><box mass="1"/><site name="t"/></link>
    <spring name="spring" a="s" b="t" stiffness="10"/></robot></scenario>)");
  const Assets assets = robot.assets();
  const Exported exported = find_export_format("x.urdf", "")
                                .write({.root = robot.root, .scenario = robot.scenario, .assets = assets});
  std::string lost;
  for (const std::string& line : exported.report.lost) lost += line + "\n";
  for (const char* line : {"joint 'r/j': its spring", "joint 'r/j': its initial position and velocity",
                           "ball joint 'r/k': written as three hinges", "1 springs and ropes", "gravity"})
    EXPECT_NE(lost.find(line), std::string::npos) << lost;
}

}  // namespace
}  // namespace lockstep
