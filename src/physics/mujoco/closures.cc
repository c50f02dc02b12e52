#include "physics/mujoco/closures.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// Two points on the axis form a hinge. At one radius of gyration from the middle, tilting has the same
/// effective inertia as translation, so that both are equally stiff. The bounds handle very thin and very large
/// bodies.
double calc_hinge_arm(const Model& model, BodyId a, BodyId b) {
  constexpr double kMin = 1e-3, kMax = 1.0, kWhenMassless = 0.05;
  double arm = kMax;
  bool found = false;
  for (const BodyId id : {a, b}) {
    const MassProperties& mass = model.body(id).mass;
    if (!(mass.mass > 0.0)) continue;
    arm = std::min(arm, std::sqrt(mass.inertia.trace() / 3.0 / mass.mass));
    found = true;
  }
  return found ? std::clamp(arm, kMin, kMax) : kWhenMassless;
}

void add_hinge(const Model& model, const Closure& middle, std::vector<Closure>& closures) {
  const double arm = calc_hinge_arm(model, middle.a, middle.b);
  for (const double along_axis : {-arm, arm}) {
    const Pose X_EP{Vec3(0.0, 0.0, along_axis), Quat::Identity()};
    closures.push_back({ClosureKind::kPoint, middle.a, middle.b, middle.X_AE * X_EP, middle.X_BE * X_EP,
                        middle.firmness, middle.impedance});
  }
}

void add_loop(const Model& model, const LoopModel& loop, const std::optional<Vec3>& impedance,
              std::vector<Closure>& closures) {
  const SiteModel& a = model.site(loop.a);
  const SiteModel& b = model.site(loop.b);
  const Closure closure{ClosureKind::kPoint, a.body, b.body, a.X_BS, b.X_BS, loop.firmness, impedance};
  switch (loop.type) {
    case LoopType::kPoint:
      closures.push_back(closure);
      break;
    case LoopType::kHinge:
      add_hinge(model, closure, closures);
      break;
    case LoopType::kWeld:
      closures.push_back(closure);
      closures.back().kind = ClosureKind::kFrame;
      break;
  }
}

void add_joint(const Model& model, const JointModel& joint, std::vector<Closure>& closures) {
  const BodyModel& body = model.body(joint.body);
  const Quat q_BJ = rotation_between(Vec3::UnitZ(), joint.axis);  // z of the joint frame is its axis
  const Pose X_BJ{joint.position, q_BJ};
  const Closure closure{ClosureKind::kPoint, body.parent, joint.body, body.X_PB * X_BJ, X_BJ};
  switch (joint.type) {
    case JointType::kHinge:
      add_hinge(model, closure, closures);
      break;
    case JointType::kBall:
      closures.push_back(closure);
      break;
    default:
      closures.push_back(closure);
      closures.back().kind = ClosureKind::kFrame;
      break;
  }
}

}  // namespace

bool is_detachable(const Model& model, const BodyModel& body) {
  return body.joint && model.joint(*body.joint).detachable;
}

Closures make_closures(const Model& model, const MujocoModelOptions& options) {
  Closures closures;
  for (std::size_t i = 0; i < model.loops.size(); ++i)
    add_loop(model, model.loops[i], options.loop_impedance[i], closures.all);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (!model.joints[i].detachable) continue;
    const std::size_t first = closures.all.size();
    add_joint(model, model.joints[i], closures.all);
    closures.detachable.push_back({JointId{static_cast<int>(i)}, first, closures.all.size() - first});
  }
  return closures;
}

}  // namespace lockstep
