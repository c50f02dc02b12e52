#include <algorithm>
#include <cmath>

#include "formats/mjcf/importer_internal.h"

namespace lockstep {
namespace {

/// Distance of the ends of a loop at a start that is not the default position of MuJoCo, m.
constexpr double kOpenLoop = 1.0;

}  // namespace

void MjcfLoops::add_equalities() {
  if (import_.source.is_disabled("equality")) return;
  int number = 0;
  for (const Element* element : import_.source.section("equality")) {
    const Element e = import_.source.resolved(*element, "equality", "");
    const std::string subject = subject_of(*element) + " of <equality>";
    if (!import_.source.is_on(e, "active", true)) {
      import_.source.lose(subject + ", which is not active");
      continue;
    }
    std::string name = XmlValues::text(e, "name");
    name = names_.make(name.empty() ? fmt::format("{}{}", e.name, ++number) : short_mjcf_name(name));
    const Firmness firmness =
        different_firmness(read_softness(import_.source, e, ""), import_.source, e.place, subject)
            .of_constraint();
    if (e.name == "connect" || e.name == "weld") {
      add_loop(e, name, firmness);
    } else if (e.name == "joint") {
      add_coupling(e, name, firmness);
    } else if (e.name == "tendon" && hold_tendon(e, firmness)) {
      continue;
    } else {
      import_.source.differ(e.place, subject);
    }
  }
  if (!layout_.starts_elsewhere) return;
  for (Loop& loop : import_.scenario.loops) loop.tolerance = kOpenLoop;
}

void MjcfLoops::add_loop(const Element& e, const std::string& name, const Firmness& firmness) {
  const auto a = layout_.find_body(e, "body1", import_.diagnostics),
             b = layout_.find_body(e, "body2", import_.diagnostics);
  if (!a || !b) return;
  if (a == b) return import_.diagnostics.error(e.place, "<{}>: both ends are the same body", e.name);
  Loop& loop = import_.scenario.loops.emplace_back();
  loop.place = e.place;
  loop.name = name;
  loop.type = e.name == "weld" ? LoopType::kWeld : LoopType::kPoint;
  loop.firmness = firmness;
  Pose X_AE{import_.values().vector(e, "anchor", Vec3::Zero()), Quat::Identity()};
  if (import_.source.compiler().is_global && e.name == "connect") X_AE.p = layout_.poses[*a].inverse() * X_AE.p;
  Pose X_BE = layout_.poses[*b].inverse() * layout_.poses[*a] * X_AE;
  if (e.name == "weld") {
    // The anchor of a weld is on the second body; its relative pose may be given instead of the initial one.
    X_BE = X_AE;
    X_AE = layout_.poses[*a].inverse() * layout_.poses[*b] * X_BE;
    if (const auto r = import_.values().numbers(e, "relpose", 7, 7);
        r && ((*r)[3] != 0.0 || (*r)[4] != 0.0 || (*r)[5] != 0.0 || (*r)[6] != 0.0))
      X_AE =
          Pose{Vec3((*r)[0], (*r)[1], (*r)[2]), Quat((*r)[3], (*r)[4], (*r)[5], (*r)[6]).normalized()} * X_BE;
    if (import_.values().number(e, "torquescale", 1.0) != 1.0)
      import_.source.differ(e.place, "torquescale of <weld>");
  }
  loop.a = add_site(*a, X_AE, name + "_a");
  loop.b = add_site(*b, X_BE, name + "_b");
  // It is closed in MuJoCo's default position. A keyframe may open it, which MuJoCo accepts.
  const Pose X_WA = layout_.poses[*a] * X_AE, X_WB = layout_.poses[*b] * X_BE;
  const double gap = (X_WA.p - X_WB.p).norm();
  const double turn = loop.type == LoopType::kWeld ? X_WA.q.angularDistance(X_WB.q) : 0.0;
  constexpr double kClosed = 1e-3, kTurned = 1e-2, kRounded = 1.01;
  if (start_.is_keyframe()) {
    loop.tolerance = kOpenLoop;
  } else if (gap > kClosed || turn > kTurned) {
    loop.tolerance = kRounded * std::max(gap, turn * kClosed / kTurned);
    import_.report.suspicious.push_back(fmt::format(
        "loop '{}' is open at the start, by {:.4g} m and {:.4g} rad; it is pulled together", name, gap, turn));
  }
}

void MjcfLoops::add_coupling(const Element& e, const std::string& name, const Firmness& firmness) {
  const std::string first = XmlValues::text(e, "joint1"), second = XmlValues::text(e, "joint2");
  const auto joint = layout_.names.joints.find(first), followed = layout_.names.joints.find(second);
  std::vector<double> c = import_.values().numbers(e, "polycoef", 1, 5).value_or(std::vector<double>{0.0, 1.0});
  if (c.size() == 1) c.push_back(1.0);
  c.resize(5, 0.0);
  const bool is_straight = c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0;
  if (joint == layout_.names.joints.end() || followed == layout_.names.joints.end() || !is_straight ||
      joint->second.robot != followed->second.robot)
    return import_.source.differ(
        e.place, subject_of(e) + " of <equality>: only linear couplings of two hinges or slides of one robot");
  Robot& robot = import_.scenario.robots[joint->second.robot];
  Coupling& coupling = robot.couplings.emplace_back();
  coupling.place = e.place;
  coupling.name = name;
  coupling.joint = joint->second.name;
  coupling.follows = followed->second.name;
  coupling.ratio = c[1];
  // In MuJoCo, both are relative to their reference.
  coupling.offset = reference_of(first) + c[0] - c[1] * reference_of(second);
  coupling.firmness = firmness;
  follow(robot, coupling);
}

bool MjcfLoops::hold_tendon(const Element& e, const Firmness& firmness) {
  const auto known = layout_.names.tendons.find(XmlValues::text(e, "tendon1"));
  if (known == layout_.names.tendons.end() || !XmlValues::text(e, "tendon2").empty()) return false;
  Robot& robot = import_.scenario.robots[known->second.robot];
  Tendon& tendon = *std::find_if(robot.tendons.begin(), robot.tendons.end(),
                                 [&](const Tendon& each) { return each.name == known->second.name; });
  if (tendon.held || tendon.lower) return false;
  // In MuJoCo, it is relative to the length in the default position.
  tendon.held = default_lengths_.at(known->first) +
                import_.values().numbers(e, "polycoef", 1, 5).value_or(std::vector<double>{0.0}).front();
  tendon.firmness = firmness;
  return true;
}

std::string MjcfLoops::add_site(std::size_t body, const Pose& pose, const std::string& wanted) {
  if (body == 0) return add_world_site(pose, wanted);
  const MjcfLayout::Link& on = layout_.links.at(static_cast<int>(body));
  Robot& robot = import_.scenario.robots[on.robot];
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(robot.links.begin(), robot.links.end(), [&](const Link& link) {
      return std::any_of(link.sites.begin(), link.sites.end(), [&](const Site& s) { return s.name == name; });
    });
  };
  std::string name = names_.make(wanted);
  while (is_taken(name)) name = names_.make(wanted);
  for (Link& link : robot.links) {
    if (link.name != on.name) continue;
    link.sites.push_back({.place = {}, .name = name, .pose = pose});
    return robot.name + "/" + link.sites.back().name;
  }
  return {};
}

std::string MjcfLoops::add_world_site(const Pose& pose, const std::string& wanted) {
  std::vector<Object>& objects = import_.scenario.objects;
  Object* fixed = objects.empty() ? nullptr : &objects.front();
  if (fixed == nullptr) {
    fixed = &objects.emplace_back();
    fixed->name = "surroundings";
    fixed->is_static = true;
    Shape& shape = fixed->shapes.emplace_back();
    shape.geometry = Sphere{0.001};
    shape.collide = shape.visible = false;
  }
  fixed->sites.push_back({.place = {}, .name = layout_.world_sites.make(wanted), .pose = pose});
  return fixed->name + "/" + fixed->sites.back().name;
}

const MjcfJoint* MjcfLoops::find_joint(const std::string& name) const {
  for (const MjcfBody& body : layout_.bodies) {
    for (const MjcfJoint& each : body.joints) {
      if (each.name == name) return &each;
    }
  }
  return nullptr;
}

double MjcfLoops::reference_of(const std::string& joint) const {
  const MjcfJoint* found = find_joint(joint);
  return found == nullptr ? 0.0 : found->reference;
}

std::optional<Vec3> MjcfLoops::find_slack_position(const std::string& site) const {
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    for (const MjcfSite& each : layout_.bodies[i].sites) {
      if (each.name != site) continue;
      for (int at = static_cast<int>(i); at > 0; at = layout_.bodies[static_cast<std::size_t>(at)].parent) {
        const auto& joints = layout_.bodies[static_cast<std::size_t>(at)].joints;
        if (std::any_of(joints.begin(), joints.end(),
                        [](const MjcfJoint& joint) { return joint.spring_reference != joint.reference; }))
          return std::nullopt;
      }
      return layout_.poses[i] * each.pose.p;
    }
  }
  return std::nullopt;
}

void MjcfLoops::follow(Robot& robot, const Coupling& coupling) {
  double leader = 0.0;
  for (const Link& link : robot.links) {
    if (link.joint && link.joint->name == coupling.follows) leader = link.joint->initial;
  }
  for (Link& link : robot.links) {
    if (!link.joint || link.joint->name != coupling.joint) continue;
    const double start = coupling.ratio * leader + coupling.offset;
    constexpr double kNoticeable = 1e-6;
    if (std::abs(link.joint->initial - start) > kNoticeable) {
      layout_.starts_elsewhere = true;
      import_.source.differ(coupling.place, fmt::format("joint '{}' starts at {:.6g}, as required by '{}'",
                                                        coupling.joint, start, coupling.follows));
    }
    link.joint->initial = 0.0;
    if (link.joint->lower && (*link.joint->lower > 0.0 || *link.joint->upper < 0.0))
      link.joint->initial = start;
  }
}

bool MjcfLoops::add_tendon(const Element& e, const std::vector<Element>& path) {
  Tendon tendon;
  tendon.place = e.place;
  std::optional<std::size_t> robot;
  double default_length = 0.0, slack_length = 0.0;  // with all joints at `ref`, and at `springref`
  for (const Element& item : path) {
    const std::string joint = XmlValues::text(item, "joint");
    const auto known = layout_.names.joints.find(joint);
    if (known == layout_.names.joints.end() || (robot && known->second.robot != *robot)) return false;
    robot = known->second.robot;
    const double ratio = import_.values().number(item, "coef", 1.0);
    if (ratio != 0.0)
      tendon.pulleys.push_back({.place = item.place, .joint = known->second.name, .ratio = ratio});
    if (const MjcfJoint* its = find_joint(joint)) {
      default_length += ratio * its->reference;
      slack_length += ratio * its->spring_reference;
    }
  }
  if (tendon.pulleys.empty()) return false;
  const std::string name = XmlValues::text(e, "name");
  tendon.name = names_.make(name.empty() ? "tendon" : short_mjcf_name(name));
  const std::string subject = subject_of(e) + " of <tendon>";
  tendon.damping = std::max(0.0, import_.values().number(e, "damping", 0.0));
  tendon.stiffness = std::max(0.0, import_.values().number(e, "stiffness", 0.0));
  if (tendon.stiffness > 0.0) {
    const auto rest = import_.values().numbers(e, "springlength", 1, 2);
    tendon.rest = rest && rest->front() >= 0.0 ? rest->front() : slack_length;
    if (rest && rest->size() > 1 && (*rest)[1] != (*rest)[0])
      import_.source.differ(e.place, subject + ": its dead band");
  }
  if (const auto range = import_.values().numbers(e, "range", 2, 2);
      range && import_.source.is_limited(e, "limited", true) && !import_.source.is_disabled("limit")) {
    tendon.lower = (*range)[0];
    tendon.upper = (*range)[1];
    tendon.firmness =
        different_firmness(read_softness(import_.source, e, "limit"), import_.source, e.place, subject)
            .of_constraint();
  }
  for (const char* lost : {"frictionloss", "margin"}) {
    if (import_.values().number(e, lost, 0.0) != 0.0)
      import_.source.differ(e.place, std::string(lost) + " of " + subject);
  }
  layout_.names.tendons[name] = {*robot, tendon.name};
  default_lengths_[name] = default_length;
  import_.scenario.robots[*robot].tendons.push_back(std::move(tendon));
  return true;
}

void MjcfLoops::add_tendons() {
  for (const Element* element : import_.source.section("tendon")) {
    const Element e = import_.source.resolved(*element, "tendon", "");
    const auto& path = element->children;
    if (element->name == "fixed" && add_tendon(e, path)) continue;
    const bool is_line =
        element->name == "spatial" && path.size() == 2 && path[0].name == "site" && path[1].name == "site";
    const double stiffness = import_.values().number(e, "stiffness", 0.0),
                 damping = import_.values().number(e, "damping", 0.0);
    const auto find = [&](const Element& site) {
      return layout_.names.sites.find(XmlValues::text(site, "site"));
    };
    if (!is_line || find(path[0]) == layout_.names.sites.end() || find(path[1]) == layout_.names.sites.end() ||
        (stiffness <= 0.0 && damping <= 0.0)) {
      import_.source.differ(element->place, subject_of(*element) + " of <tendon>");
      continue;
    }
    Spring& spring = import_.scenario.springs.emplace_back();
    spring.place = element->place;
    spring.name = names_.make(XmlValues::text(e, "name").empty() ? "tendon"
                                                                 : short_mjcf_name(XmlValues::text(e, "name")));
    const auto full = [&](const MjcfNames::Part& part) {
      return import_.scenario.robots[part.robot].name + "/" + part.name;
    };
    spring.a = full(find(path[0])->second);
    spring.b = full(find(path[1])->second);
    spring.stiffness = std::max(0.0, stiffness);
    spring.damping = std::max(0.0, damping);
    const auto length = import_.values().numbers(e, "springlength", 1, 2);
    const auto a = find_slack_position(XmlValues::text(path[0], "site")),
               b = find_slack_position(XmlValues::text(path[1], "site"));
    if (length && length->front() >= 0.0) {
      spring.length = length->front();
    } else if (a && b) {
      spring.length = (*a - *b).norm();
    } else {
      import_.source.differ(
          element->place,
          subject_of(*element) + " of <tendon>: its length at springref; that at the start is used");
    }
    for (const char* name : {"range", "frictionloss"}) {
      if (e.find_attribute(name) != nullptr)
        import_.source.differ(element->place, std::string(name) + " of <tendon>");
    }
  }
}

}  // namespace lockstep
