#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "assemble/assemble.h"
#include "assemble/registry.h"
#include "imported_robot.h"
#include "physics/mujoco/handlers.h"

/// Compares an imported MuJoCo model, step by step, with MuJoCo itself.
namespace lockstep {

/// Maximum difference of a joint or body from MuJoCo within a second, rad or m. Both solve the same equations,
/// with constraints in a different order.
inline constexpr double kSame = 1e-6;

struct Native {
  explicit Native(const std::filesystem::path& file) {
    install_mujoco_handlers();
    std::array<char, 1000> error{};
    model.reset(mj_loadXML(file.c_str(), nullptr, error.data(), static_cast<int>(error.size())));
    if (!model) throw std::runtime_error(error.data());
    data.reset(mj_makeData(model.get()));
  }
  double position(const std::string& joint) const {
    return data->qpos[model->jnt_qposadr[mj_name2id(model.get(), mjOBJ_JOINT, joint.c_str())]];
  }
  /// After an error, MuJoCo starts again from the beginning, or drops contacts.
  bool has_failed() const {
    return std::any_of(std::begin(data->warning), std::end(data->warning),
                       [](const mjWarningStat& warning) { return warning.number > 0; });
  }
  /// At such speeds its solution grows without bounds, and with it any rounding error.
  bool has_diverged() const {
    constexpr double kTooFast = 1000.0;  // m/s or rad/s
    return std::any_of(data->qvel, data->qvel + model->nv, [](double v) { return std::abs(v) > kTooFast; });
  }
  MjModelPtr model;
  MjDataPtr data;

  int find_body(const std::string& name) const { return mj_name2id(model.get(), mjOBJ_BODY, name.c_str()); }
};

struct Difference {
  double largest = 0.0;
  std::string joint;  ///< or body, and when
  int joints = 0, bodies = 0;
  bool is_reported = false;  ///< the import says that it moves differently
};

inline std::string without_robot(const std::string& name) {
  return name.substr(name.find('/') + 1);
}

/// Maximum difference of any hinge, slide or body over this many seconds.
inline Difference compare(const std::filesystem::path& file, const std::string& key, double seconds) {
  Native native(file);
  if (!key.empty())
    mj_resetDataKeyframe(native.model.get(), native.data.get(),
                         mj_name2id(native.model.get(), mjOBJ_KEY, key.c_str()));
  const LoadedRobot robot = load_imported(file, key);
  Diagnostics diagnostics;
  Simulation ours = assemble(robot.scenario, robot.assets(), default_registry(), diagnostics);
  Difference difference;
  difference.is_reported = !robot.report.differs.empty();
  const auto steps = std::llround(seconds / native.model->opt.timestep);
  const MjDataPtr poses(mj_makeData(native.model.get()));
  for (std::int64_t step = 0; step < steps; ++step) {
    mj_step(native.model.get(), native.data.get());
    if (native.has_failed() || native.has_diverged()) break;
    const Status status = ours.step();
    if (status.outcome == Outcome::kEnergyGained) break;  // as in MuJoCo, which does not notice
    if (!status.ok()) throw std::runtime_error(to_string(status));
    difference.joints = 0;
    for (std::size_t i = 0; i < ours.model().joints.size(); ++i) {
      const JointModel& joint = ours.model().joints[i];
      if (joint.type != JointType::kHinge && joint.type != JointType::kSlide) continue;
      const std::string name = without_robot(joint.name);
      if (mj_name2id(native.model.get(), mjOBJ_JOINT, name.c_str()) < 0) continue;
      ++difference.joints;
      const double off =
          std::abs(ours.world().joint_position(JointId{static_cast<int>(i)})[0] - native.position(name));
      if (off > difference.largest)
        difference.largest = off, difference.joint = fmt::format("{} at step {}", name, step);
    }
    // MuJoCo has not computed the poses after the step yet.
    std::copy_n(native.data->qpos, native.model->nq, poses->qpos);
    mj_kinematics(native.model.get(), poses.get());
    difference.bodies = 0;
    for (std::size_t i = 1; i < ours.model().bodies.size(); ++i) {
      const std::string name = without_robot(ours.model().bodies[i].name);
      const int body = native.find_body(name);
      if (body < 0) continue;
      ++difference.bodies;
      const Vec3 theirs = Eigen::Map<const Vec3>(poses->xpos + 3 * body);
      const double off = (ours.world().body_pose(BodyId{static_cast<int>(i)}).p - theirs).norm();
      if (off > difference.largest)
        difference.largest = off, difference.joint = fmt::format("body {} at step {}", name, step);
    }
  }
  return difference;
}

}  // namespace lockstep
