#include "model/builder_internal.h"

namespace lockstep {
namespace {

/// Default maximum distance of the ends of a loop at the start, m.
constexpr double kDefaultLoopTolerance = 1e-3;
/// Maximum error of the given initial position of a coupled joint, rad or m.
constexpr double kStartTolerance = 1e-6;
/// Maximum rotation between its axes or frames at the start, rad per metre of that distance.
constexpr double kLoopAnglePerLength = 10.0;

std::string in_scope(const std::string& scope, const std::string& name) {
  return scope.empty() ? name : scope + "/" + name;
}

}  // namespace

template <typename Constraint>
bool ModelBuilder::resolve_ends(const Constraint& constraint, const char* kind, const std::string& scope,
                                SiteId& a, SiteId& b) {
  const std::string full_name = in_scope(scope, constraint.name);
  if (!claim("loop, coupling, spring or rope", full_name, constraint.place)) return false;
  const auto resolve = [&](const std::string& name, SiteId& id) {
    // Sites of the robot first; then full names.
    std::optional<SiteId> found = model_.find_site(in_scope(scope, name));
    if (!found) found = model_.find_site(name);
    if (found) {
      id = *found;
      return true;
    }
    if (!diagnostics_.is_broken(constraint.place) &&
        !diagnostics_.is_missing({"site"}, in_scope(scope, name))) {
      diagnostics_.error(constraint.place, "{} '{}': unknown site '{}'{}", kind, full_name, name,
                         suggest(in_scope(scope, name), model_.site_names()));
    }
    return false;
  };
  const bool found_a = resolve(constraint.a, a);
  const bool found_b = resolve(constraint.b, b);
  if (!found_a || !found_b) return false;
  if (model_.site(a).body == model_.site(b).body && !diagnostics_.is_broken(constraint.place)) {
    diagnostics_.error(constraint.place, "{} '{}': both ends are on '{}'; expected two different bodies", kind,
                       full_name, model_.body(model_.site(a).body).name);
    return false;
  }
  return true;
}

bool ModelBuilder::depends_on_errors(SiteId site) const {
  return diagnostics_.is_broken(model_.site(site).place) ||
         lockstep::depends_on_errors(model_, model_.site(site).body, diagnostics_);
}

void ModelBuilder::add_loop(const Loop& loop, const std::string& scope) {
  LoopModel added;
  if (!resolve_ends(loop, "loop", scope, added.a, added.b)) return;
  added.name = in_scope(scope, loop.name);
  added.type = loop.type;
  added.firmness = loop.firmness;

  const SiteModel& a = model_.site(added.a);
  const SiteModel& b = model_.site(added.b);
  if (diagnostics_.is_broken(loop.place) || depends_on_errors(added.a) || depends_on_errors(added.b)) return;
  const Pose X_WA = initial_poses_[index(a.body)] * a.X_BS;
  const Pose X_WB = initial_poses_[index(b.body)] * b.X_BS;
  const double tolerance = loop.tolerance.value_or(kDefaultLoopTolerance);
  const double gap = (X_WA.p - X_WB.p).norm();
  if (gap > tolerance) {
    diagnostics_.error(loop.place, "loop '{}': its ends are {:.6g} m apart at the start; expected at most {} m",
                       added.name, gap, tolerance);
  }
  double turn = 0.0;
  if (loop.type == LoopType::kHinge) {
    turn = std::acos(std::clamp((X_WA.q * Vec3::UnitZ()).dot(X_WB.q * Vec3::UnitZ()), -1.0, 1.0));
  } else if (loop.type == LoopType::kWeld) {
    turn = X_WA.q.angularDistance(X_WB.q);
  }
  const double most = tolerance * kLoopAnglePerLength;
  if (turn > most) {
    diagnostics_.error(
        loop.place, "loop '{}': {} rotated by {:.4g} rad at the start; expected at most {} rad", added.name,
        loop.type == LoopType::kHinge ? "its axes (z of the sites) are" : "its ends are", turn, most);
  }
  model_.loops.push_back(added);
}

template <typename SpringOrRope>
void ModelBuilder::add_spring(const SpringOrRope& spring, const char* kind, bool only_pulls,
                              const std::string& scope) {
  SpringModel added;
  if (!resolve_ends(spring, kind, scope, added.a, added.b)) return;
  added.name = in_scope(scope, spring.name);
  added.stiffness = spring.stiffness;
  added.damping = spring.damping;
  added.only_pulls = only_pulls;
  const SiteModel& a = model_.site(added.a);
  const SiteModel& b = model_.site(added.b);
  const double distance =
      (initial_poses_[index(a.body)] * a.X_BS.p - initial_poses_[index(b.body)] * b.X_BS.p).norm();
  added.length = spring.length.value_or(distance);
  model_.springs.push_back(added);
}

std::optional<JointId> ModelBuilder::find_driven_joint(const Robot& robot, const std::string& name,
                                                       const Place& place, const std::string& subject) {
  const std::optional<JointId> found = model_.find_joint(in_scope(robot.name, name));
  if (!found) {
    if (!diagnostics_.is_missing({"joint", "object"}, in_scope(robot.name, name)))
      diagnostics_.error(place, "{}: unknown joint '{}'{}", subject, name,
                         suggest(in_scope(robot.name, name), model_.joint_names()));
    return std::nullopt;
  }
  const JointModel& joint = model_.joint(*found);
  if (diagnostics_.is_broken(joint.place)) return std::nullopt;
  const bool is_axial = joint.type == JointType::kHinge || joint.type == JointType::kSlide;
  if (is_axial && !joint.detachable) return found;
  diagnostics_.error(place, "{}: '{}' is not a hinge or slide joint that stays attached", subject, name);
  return std::nullopt;
}

void ModelBuilder::add_tendons(const Robot& robot) {
  for (const Tendon& tendon : robot.tendons) {
    TendonModel added;
    added.name = in_scope(robot.name, tendon.name);
    const std::string subject = "tendon '" + added.name + "'";
    if (!claim("tendon", added.name, tendon.place)) continue;
    const std::size_t errors = diagnostics_.error_count();
    std::set<JointId> joints;
    double length = 0.0;
    for (const Pulley& pulley : tendon.pulleys) {
      if (diagnostics_.is_broken(pulley.place)) continue;
      const std::optional<JointId> joint = find_driven_joint(robot, pulley.joint, pulley.place, subject);
      if (!joint) continue;
      if (!joints.insert(*joint).second)
        diagnostics_.error(pulley.place, "{}: joint '{}' appears twice", subject, pulley.joint);
      added.pulleys.push_back({*joint, pulley.ratio});
      length += pulley.ratio * model_.joint(*joint).initial_position[0];
    }
    if (tendon.pulleys.empty() && !diagnostics_.is_broken(tendon.place))
      diagnostics_.error(tendon.place, "{}: has no <pulley>; expected at least one", subject);
    if (tendon.lower.has_value() != tendon.upper.has_value() ||
        (tendon.lower && !(*tendon.lower < *tendon.upper)))
      diagnostics_.error(tendon.place, "{}: expected 'lower' below 'upper', or neither", subject);
    if (diagnostics_.error_count() > errors || added.pulleys.empty()) {
      diagnostics_.mark_missing(tendon.name);
      continue;
    }
    added.lower = tendon.lower;
    added.upper = tendon.upper;
    added.damping = tendon.damping;
    added.stiffness = tendon.stiffness;
    added.rest = tendon.rest.value_or(length);
    added.held = tendon.held;
    added.firmness = tendon.firmness;
    added.place = tendon.place;
    model_.tendons.push_back(std::move(added));
  }
}

void ModelBuilder::add_couplings(const Robot& robot) {
  std::set<JointId> following, followed;
  for (const Coupling& coupling : robot.couplings) {
    const std::string subject = "coupling '" + in_scope(robot.name, coupling.name) + "'";
    if (!claim("loop, coupling, spring or rope", in_scope(robot.name, coupling.name), coupling.place)) continue;
    if (diagnostics_.is_broken(coupling.place)) continue;
    const auto reject = [&](const std::string& why) {
      diagnostics_.error(coupling.place, "{}: {}", subject, why);
    };
    const auto resolve = [&](const std::string& name) {
      return find_driven_joint(robot, name, coupling.place, subject);
    };
    const std::optional<JointId> joint = resolve(coupling.joint), leader = resolve(coupling.follows);
    if (!joint || !leader) continue;
    if (joint == leader || !following.insert(*joint).second) {
      reject(fmt::format("'{}' follows {}", coupling.joint, joint == leader ? "itself" : "two joints"));
      continue;
    }
    followed.insert(*leader);
    if (following.contains(*leader) || followed.contains(*joint)) {
      reject(fmt::format("'{}' follows a joint that follows another; name the first of them", coupling.joint));
      continue;
    }
    const JointModel& its = model_.joint(*joint);
    const double start = coupling.ratio * model_.joint(*leader).initial_position[0] + coupling.offset;
    // Its initial position follows from the leader; a different one is an error.
    if (const double own = its.initial_position[0]; own != 0.0 && std::abs(own - start) > kStartTolerance) {
      reject(fmt::format("'{}' starts at {:.6g}, but its coupling requires {:.6g}; omit its initial",
                         coupling.joint, own, start));
    }
    model_.couplings.push_back({in_scope(robot.name, coupling.name), *joint, *leader, coupling.ratio,
                                coupling.offset, coupling.firmness});
  }
}

void ModelBuilder::add_exclusions(const std::vector<Exclusion>& exclusions, const std::string& scope) {
  for (const Exclusion& exclusion : exclusions) {
    std::optional<BodyId> ends[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string& name = i == 0 ? exclusion.a : exclusion.b;
      ends[i] = model_.find_body(in_scope(scope, name));
      if (!ends[i]) ends[i] = model_.find_body(name);
      if (ends[i] || diagnostics_.is_broken(exclusion.place)) continue;
      if (diagnostics_.is_missing({"link", "object", "ground", "terrain"}, in_scope(scope, name))) continue;
      diagnostics_.error(exclusion.place, "exclude: unknown link or object '{}'{}", name,
                         suggest(in_scope(scope, name), model_.body_names()));
    }
    if (!ends[0] || !ends[1]) continue;
    if (ends[0] == ends[1]) {
      diagnostics_.error(exclusion.place, "exclude: '{}' is named twice; expected two bodies", exclusion.a);
      continue;
    }
    model_.excluded.emplace_back(*ends[0], *ends[1]);
  }
}

void ModelBuilder::add_constraints() {
  const auto add_all = [&](const auto& owner, const std::string& scope) {
    for (const Loop& loop : owner.loops) add_loop(loop, scope);
    for (const Spring& spring : owner.springs) add_spring(spring, "spring", false, scope);
    for (const Rope& rope : owner.ropes) add_spring(rope, "rope", true, scope);
  };
  for (const Robot& robot : scenario_.robots) add_all(robot, robot.name);
  add_all(scenario_, "");
}

}  // namespace lockstep
