#include "design/expectation.h"

#include <algorithm>

#include "model/kinematics.h"

namespace lockstep {
namespace {

/// The model with the joint positions of an expectation; empty, with errors, if they are invalid.
std::optional<Model> posed(const Expectation& expectation, Model model, const std::string& robot,
                           Diagnostics& diagnostics) {
  bool is_sound = true;
  for (const ExpectedJoint& wanted : expectation.joints) {
    const auto id = model.find_joint(robot + "/" + wanted.joint);
    if (!id) {
      diagnostics.error(wanted.place, "expectation '{}': there is no joint '{}'{}", expectation.name,
                        wanted.joint, suggest(robot + "/" + wanted.joint, model.joint_names()));
      is_sound = false;
      continue;
    }
    JointModel& joint = model.joints[index(*id)];
    if (joint.initial_position.size() != 1) {
      diagnostics.error(wanted.place, "expectation '{}': joint '{}' is not a hinge or slide", expectation.name,
                        wanted.joint);
      is_sound = false;
      continue;
    }
    if (joint.lower && (wanted.position < *joint.lower || wanted.position > *joint.upper)) {
      diagnostics.warn(wanted.place,
                       "expectation '{}': {:.6g} is outside the limits {:.6g} to {:.6g} of joint '{}'",
                       expectation.name, wanted.position, *joint.lower, *joint.upper, wanted.joint);
    }
    joint.initial_position[0] = wanted.position;
  }
  if (!is_sound) return std::nullopt;
  return model;
}

std::string text_of(const Vec3& p) {
  return fmt::format("{:.6g} {:.6g} {:.6g}", p.x(), p.y(), p.z());
}

}  // namespace

Model at_zero(const Model& model) {
  Model zero = model;
  for (JointModel& joint : zero.joints) {
    if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) joint.initial_position = {0.0};
  }
  return zero;
}

void check_expectations(const std::vector<Expectation>& expectations, const Model& model,
                        const std::string& robot, const Pose& X_WR, Diagnostics& diagnostics) {
  const Model zero = at_zero(model);
  const std::vector<Pose> at_rest = calc_initial_poses(zero);
  for (const Expectation& expectation : expectations) {
    const std::optional<Model> moved = posed(expectation, zero, robot, diagnostics);
    if (!moved) continue;
    const std::vector<Pose> poses = calc_initial_poses(*moved);
    for (const ExpectedPoint& point : expectation.points) {
      const auto body = model.find_body(robot + "/" + point.link);
      if (!body) {
        diagnostics.error(point.place, "expectation '{}': there is no link '{}'{}", expectation.name,
                          point.link, suggest(robot + "/" + point.link, model.body_names()));
        continue;
      }
      const Pose X_RR = X_WR.inverse() * poses[index(*body)] * at_rest[index(*body)].inverse() * X_WR;
      const Vec3 reached = X_RR * point.at;
      const double error = (reached - point.expected).norm();
      if (error > expectation.tolerance) {
        diagnostics.error(
            point.place, "expectation '{}': the point {} of link '{}' is at {}, {:.4g} m off; expected {}",
            expectation.name, text_of(point.at), point.link, text_of(reached), error, text_of(point.expected));
      } else {
        diagnostics.note(point.place, "expectation '{}': the point {} of link '{}' is at {}, {:.2g} m off",
                         expectation.name, text_of(point.at), point.link, text_of(reached), error);
      }
    }
  }
}

}  // namespace lockstep
