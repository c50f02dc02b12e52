#include "formats/urdf/drives.h"

#include <cmath>
#include <set>

#include "formats/common/devices.h"
#include "formats/common/drive_gains.h"
#include "formats/common/names.h"

namespace lockstep {
namespace {

/// Gains with four digits: more would be pretended.
double rounded(double value) {
  if (!(value > 0.0)) return 0.0;
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

class DriveMaker {
 public:
  DriveMaker(const UrdfRobot& from, const ImportOptions& options, FormatReport& report)
      : from_(from), options_(options), report_(report) {}

  DriveKind choose_kind(const DrivenJoint& joint) {
    if (options_.drive) return *options_.drive;
    if (joint.is_passive) return DriveKind::kNone;
    const auto found = from_.interfaces.find(joint.from->name);
    DriveKind kind = DriveKind::kServo;
    if (found != from_.interfaces.end()) {
      kind = found->second.kind.value_or(DriveKind::kServo);
    } else if (!from_.interfaces.empty()) {
      ++without_interface_;
      return DriveKind::kNone;
    }
    if (kind != DriveKind::kNone && joint.from->effort == 0.0) {
      report_.suspicious.push_back(fmt::format(
          "{}: joint '{}' has an effort of 0: it has no drive; --drive servo gives it one without a limit",
          to_string(joint.from->place), joint.from->name));
      return DriveKind::kNone;
    }
    return kind;
  }

  Element make(const DrivenJoint& joint, DriveKind kind, const DriveGains& gains, const std::string& name) {
    std::optional<double> effort = joint.from->effort;
    if (effort == 0.0) effort.reset();
    ++counts_[kind];
    switch (kind) {
      case DriveKind::kServo: {
        PositionServoConfig servo{.joint = joint.name};
        servo.stiffness = rounded(gains.stiffness);
        servo.damping = rounded(gains.damping);
        servo.max_effort = effort;
        servo.max_speed = joint.from->velocity;
        return make_device(name, servo);
      }
      case DriveKind::kSpeed: {
        SpeedServoConfig servo{.joint = joint.name};
        servo.gain = rounded(gains.damping);
        servo.max_effort = effort;
        servo.max_speed = joint.from->velocity;
        return make_device(name, servo);
      }
      default:
        if (joint.from->velocity) ++lost_velocities_;
        return make_device(name, TorqueActuatorConfig{.joint = joint.name, .limit = effort});
    }
  }

  void write_report(const DriveChoice& choice, std::size_t joint_count) {
    const auto say = [&](DriveKind kind, std::string_view what) {
      if (const auto count = counts_.find(kind); count != counts_.end())
        report_.assumed.push_back(fmt::format("{} of {} joints have {}", count->second, joint_count, what));
    };
    const bool from_file = !options_.drive && !from_.interfaces.empty();
    const std::string source = options_.drive ? " (--drive)"
                               : from_file    ? ", by the interfaces in the file"
                                              : "; choose others with --drive";
    say(DriveKind::kServo,
        "a servo that holds their position, critically damped for the inertia they move" + source);
    say(DriveKind::kSpeed, "a speed servo" + source);
    say(DriveKind::kTorque, "an actuator for torque or force" + source);
    if (without_interface_ > 0) {
      report_.assumed.push_back(
          fmt::format("{} joints have no <transmission> or <ros2_control>, as others have: they have no drive",
                      without_interface_));
    }
    if (choice.springy > 0) {
      report_.assumed.push_back(fmt::format(
          "{} of the servos have less than critical damping: to hold the weight of the robot they are stiffer",
          choice.springy));
    }
    if (choice.soft > 0) {
      report_.assumed.push_back(
          fmt::format("{} servos give way by more than {} rad under the largest weight they may carry: stiffer "
                      "ones would be unstable",
                      choice.soft, kMaxSagAngle));
    }
    if (lost_velocities_ > 0) {
      report_.lost.push_back(fmt::format(
          "velocity limits of {} joints: their actuators control torque or force", lost_velocities_));
    }
    if (joint_count == 0) return;
    report_.assumed.push_back(fmt::format(
        "the integrator is {}, at a step of {} ms",
        choice.integrator == Integrator::kRk4 ? "rk4, which keeps the energy of joints without damping"
        : choice.loses_all_speed              ? "euler: every joint has damping or a drive that damps"
                                              : "euler, for a robot that moves freely",
        1e3 * to_seconds(choice.step)));
    if (choice.damping_rate * to_seconds(choice.step) > 1.0) {
      report_.assumed.push_back(fmt::format(
          "joint damping is treated implicitly: it stops the lightest joint in {:.2g} ms, less than a step",
          1e3 / choice.damping_rate));
    }
  }

 private:
  const UrdfRobot& from_;
  const ImportOptions& options_;
  FormatReport& report_;
  std::map<DriveKind, std::size_t> counts_;
  std::size_t without_interface_ = 0, lost_velocities_ = 0;
};

}  // namespace

void add_urdf_drives(const std::vector<DrivenJoint>& joints, const UrdfRobot& from,
                     const ImportOptions& options, const Model& model, Scenario& scenario,
                     FormatReport& report) {
  DriveMaker maker(from, options, report);
  std::vector<WantedDrive> wanted(model.joints.size());
  std::set<JointId> followers;
  for (const CouplingModel& coupling : model.couplings) followers.insert(coupling.joint);
  std::vector<JointId> ids;
  for (const DrivenJoint& joint : joints) {
    const JointId id = *model.find_joint(scenario.robots[joint.robot].name + "/" + joint.name);
    ids.push_back(id);
    if (followers.contains(id)) continue;
    wanted[index(id)].kind = maker.choose_kind(joint);
    if (joint.from->effort.value_or(0.0) > 0.0) wanted[index(id)].max_effort = *joint.from->effort;
  }
  DriveChoice choice = choose_gains(model, wanted);
  std::vector<Names> names(scenario.robots.size());
  for (const DrivenJoint& joint : joints) (void)names[joint.robot].make(joint.name);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const DrivenJoint& joint = joints[i];
    Devices& devices = scenario.robots[joint.robot].devices;
    devices.sensors.push_back(make_device(joint.name, JointSensorConfig{.joint = joint.name}));
    const DriveKind kind = wanted[index(ids[i])].kind;
    if (kind == DriveKind::kNone) continue;
    const std::string name = names[joint.robot].make(joint.name + "_drive");
    devices.actuators.push_back(maker.make(joint, kind, choice.gains[index(ids[i])], name));
  }
  scenario.step = choice.step;
  scenario.engine.integrator = choice.integrator;
  maker.write_report(choice, joints.size());
}

}  // namespace lockstep
