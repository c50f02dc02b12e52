#include <algorithm>
#include <numbers>

#include "model/builder_internal.h"

namespace lockstep {

/// Sorts links: parents before children, otherwise in document order. A link without a valid parent is attached
/// to the root and marked as broken, so that no link is missing.
std::vector<ModelBuilder::SortedLink> ModelBuilder::sort_links(const Robot& robot) {
  std::map<std::string, const Link*> by_name;
  std::vector<std::string> names;
  for (const Link& link : robot.links) {
    if (!claim("link", robot.name + "/" + link.name, link.place)) {
      // Only the first root is used; links below the second are not at their pose.
      diagnostics_.mark_broken(by_name.at(link.name)->place);
      if (link.joint) diagnostics_.mark_missing(link.joint->name);
      for (const Site& site : link.sites) diagnostics_.mark_missing(site.name);
      continue;
    }
    by_name.emplace(link.name, &link);
    names.push_back(link.name);
  }
  const Link* root = nullptr;
  std::map<const Link*, std::vector<const Link*>> children;
  std::vector<const Link*> strays;
  std::size_t count = 0;
  for (const Link& link : robot.links) {
    const auto own = by_name.find(link.name);
    if (link.name != kNoName && own->second != &link) continue;
    ++count;
    const bool is_broken = diagnostics_.is_broken(link.place);
    if (!link.parent.empty()) {
      if (const auto parent = by_name.find(link.parent); parent != by_name.end()) {
        children[parent->second].push_back(&link);
        continue;
      }
      std::vector<std::string> others = names;
      std::erase(others, link.name);
      if (!diagnostics_.is_missing({"link"}, robot.name + "/" + link.parent)) {
        diagnostics_.error(link.place, "link '{}/{}': unknown parent '{}'{}", robot.name, link.name,
                           link.parent, suggest(link.parent, others));
      }
      strays.push_back(&link);
    } else if (root == nullptr) {
      root = &link;
    } else {
      if (!is_broken && !diagnostics_.is_broken(root->place)) {
        diagnostics_.error(link.place,
                           "link '{}/{}': has no parent, but '{}' is the root already; name a parent",
                           robot.name, link.name, root->name);
      }
      strays.push_back(&link);
    }
  }
  if (root == nullptr) {
    if (!diagnostics_.is_broken(robot.place) && strays.empty()) {
      diagnostics_.error(robot.place, "robot '{}': {}", robot.name,
                         robot.links.empty() ? "has no links; give it at least one <link>"
                                             : "has no root; one link must have no parent");
    }
    if (robot.links.empty()) {
      diagnostics_.mark_missing(robot.name);
      return {};
    }
    root = &robot.links.front();
    diagnostics_.mark_broken(root->place);
    std::erase(strays, root);
  }

  std::vector<SortedLink> sorted = {{root, nullptr}};
  std::set<const Link*> found = {root};
  const auto add_all_below = [&](std::size_t i) {
    for (; i < sorted.size(); ++i) {
      const auto it = children.find(sorted[i].link);
      if (it == children.end()) continue;
      for (const Link* child : it->second) {
        if (found.insert(child).second) sorted.push_back({child, sorted[i].link});
      }
    }
  };
  const auto attach_to_root = [&](const Link* link) {
    diagnostics_.mark_broken(link->place);
    found.insert(link);
    sorted.push_back({link, root});
    add_all_below(sorted.size() - 1);
  };
  add_all_below(0);
  for (const Link* stray : strays) attach_to_root(stray);
  for (const Link& link : robot.links) {
    if (sorted.size() == count) break;
    if (found.contains(&link) || (link.name != kNoName && by_name.at(link.name) != &link)) continue;
    if (!diagnostics_.is_broken(root->place) && !diagnostics_.is_broken(link.place)) {
      diagnostics_.error(
          link.place, "link '{}/{}': is its own ancestor; close loops with <loop> and keep the parents a tree",
          robot.name, link.name);
    }
    attach_to_root(&link);
  }
  return sorted;
}

void ModelBuilder::add_robot(const Robot& robot) {
  if (!claim("body", robot.name, robot.place)) {
    diagnostics_.mark_missing(robot.name);
    return;
  }
  const std::size_t first_body = model_.bodies.size();
  const std::vector<SortedLink> links = sort_links(robot);
  for (const SortedLink& link : links) add_link(robot, link);
  require_mass_of_moving_links(robot, links);
  if (!robot.self_collide) exclude_self_collisions(robot, first_body);
}

void ModelBuilder::add_link(const Robot& robot, const SortedLink& sorted) {
  const Link& link = *sorted.link;
  const std::string full_name = robot.name + "/" + link.name;
  const std::string subject = "link '" + full_name + "'";
  const BodyId body{static_cast<int>(model_.bodies.size())};
  BodyModel added;
  added.name = full_name;
  added.place = link.place;
  if (sorted.parent == nullptr) {
    added.X_PB = robot.pose * link.pose;
  } else {
    added.parent = *model_.find_body(robot.name + "/" + sorted.parent->name);
    added.X_PB = link.pose;
  }
  added.massless = link.massless;
  const std::size_t errors = diagnostics_.error_count();
  added.mass = calc_mass(link.shapes, link.inertial, subject, link.place, false);
  if (diagnostics_.error_count() > errors || is_mass_unknown(link.shapes, link.inertial, link.place))
    without_mass_.insert(full_name);
  model_.bodies.push_back(added);
  if (link.joint) {
    std::optional<JointModel> joint = make_joint(robot, link, *link.joint);
    if (joint) {
      joint->body = body;
      model_.bodies.back().joint = JointId{static_cast<int>(model_.joints.size())};
      model_.joints.push_back(std::move(*joint));
    }
  }
  add_shapes(link.shapes, body);
  add_sites(link.sites, body, robot.name);
}

/// Reports what a massless link must not have.
void ModelBuilder::check_massless(const Link& link, const std::string& full_name) {
  const auto reject = [&](std::string_view why) {
    diagnostics_.error(link.place, "link '{}': is massless but {}", full_name, why);
  };
  if (!link.shapes.empty() || link.inertial) return reject("has a shape or an <inertial>; remove one of them");
  if (!link.joint || link.joint->type == JointType::kFixed || link.joint->type == JointType::kFree ||
      link.joint->detachable)
    reject("not between two joints; expected a hinge, slide or ball joint that is not detachable");
}

/// A moving link needs a mass: its own, or that of a link welded to it. A massless one moves that of its children.
void ModelBuilder::require_mass_of_moving_links(const Robot& robot, const std::vector<SortedLink>& links) {
  std::set<std::string> with_mass;
  const auto is_welded = [](const Link& link) {
    return !link.joint || (link.joint->type == JointType::kFixed && !link.joint->detachable);
  };
  for (auto it = links.rbegin(); it != links.rend(); ++it) {
    const Link& link = *it->link;
    const std::string full_name = robot.name + "/" + link.name;
    if (model_.body(*model_.find_body(full_name)).mass.mass > 0.0 || without_mass_.contains(full_name))
      with_mass.insert(link.name);
    const bool has_mass = with_mass.contains(link.name);
    // The error of a broken link may be in its joint.
    const bool is_known =
        !diagnostics_.is_broken(link.place) && !(link.joint && diagnostics_.is_broken(link.joint->place));
    const bool is_mass_of_parent =
        has_mass && (is_welded(link) || (it->parent != nullptr && it->parent->massless));
    if (it->parent != nullptr && (is_mass_of_parent || !is_known)) with_mass.insert(it->parent->name);
    if (!is_known) continue;
    if (link.massless) check_massless(link, full_name);
    if (has_mass || is_welded(link)) continue;
    diagnostics_.error(link.place, "link '{}': {}", full_name,
                       link.massless ? "is massless, and so is everything that it moves"
                                     : "moves but has no mass; give it a shape with a mass or an <inertial>");
  }
}

bool ModelBuilder::is_valid_joint(const std::string& subject, const Joint& joint, bool has_parent) {
  const auto reject = [&](std::string_view why) {
    diagnostics_.error(joint.place, "{}: {}", subject, why);
    return false;
  };
  const bool is_axial = joint.type == JointType::kHinge || joint.type == JointType::kSlide;
  const char* unit = joint.type == JointType::kSlide ? "m" : "rad";
  const bool is_driven = joint.lower || joint.upper || joint.damping != 0.0 || joint.friction != 0.0 ||
                         joint.armature != 0.0 || joint.stiffness != 0.0 || joint.rest != 0.0;
  if (joint.type == JointType::kFree && has_parent) {
    return reject("only the root of a robot can have a free joint; remove it or choose another type");
  }
  if (is_axial && joint.axis.norm() < 1e-9)
    return reject("axis has no length; expected a direction such as '0 0 1'");
  if (joint.lower.has_value() != joint.upper.has_value()) {
    return reject(joint.lower ? "has 'lower' but no 'upper'; a limit needs both"
                              : "has 'upper' but no 'lower'; a limit needs both");
  }
  if (joint.lower && !(*joint.lower < *joint.upper)) {
    return reject(
        fmt::format("lower {:.6g} {} is not below upper {:.6g} {}", *joint.lower, unit, *joint.upper, unit));
  }
  if (!is_axial && (joint.lower || joint.initial != 0.0 || joint.initial_velocity != 0.0)) {
    return reject("limits and initial values are for hinge and slide joints only");
  }
  const bool turns = joint.type == JointType::kBall || joint.type == JointType::kFree;
  if ((joint.type != JointType::kFree && !joint.velocity.isZero()) ||
      (!turns && !joint.angular_velocity.isZero())) {
    return reject("'velocity' is for free joints and 'angular_velocity' for ball and free joints only");
  }
  if ((joint.type == JointType::kFixed || joint.type == JointType::kFree) && is_driven) {
    return reject("a fixed or free joint takes no damping, friction, armature or spring");
  }
  if (joint.lower && (joint.initial < *joint.lower || joint.initial > *joint.upper)) {
    return reject(fmt::format("initial {:.6g} {} is outside its limits; expected {:.6g} to {:.6g} {}",
                              joint.initial, unit, *joint.lower, *joint.upper, unit));
  }
  if (joint.detachable) {
    if (joint.type == JointType::kSlide || joint.type == JointType::kFree) {
      return reject("cannot be detachable; only fixed, hinge and ball joints can");
    }
    if (is_driven || joint.initial != 0.0 || joint.initial_velocity != 0.0 ||
        !joint.angular_velocity.isZero()) {
      return reject(
          "a detachable joint takes no limits, damping, friction, armature, spring or initial values");
    }
  }
  return true;
}

std::optional<JointModel> ModelBuilder::make_joint(const Robot& robot, const Link& link, const Joint& joint) {
  const std::string name = robot.name + "/" + joint.name;
  if (!claim("joint", name, joint.place)) return std::nullopt;
  // Add an invalid joint, too, for elements that reference it.
  if (!diagnostics_.is_broken(joint.place) &&
      !is_valid_joint("joint '" + name + "'", joint, !link.parent.empty())) {
    diagnostics_.mark_broken(joint.place);
  }

  JointModel made;
  made.name = name;
  made.type = joint.type;
  made.position = joint.position;
  made.axis = joint.axis.norm() > 0.0 ? joint.axis.normalized() : Vec3::UnitZ();
  made.lower = joint.lower;
  made.upper = joint.upper;
  made.damping = joint.damping;
  made.friction = joint.friction;
  made.armature = joint.armature;
  made.stiffness = joint.stiffness;
  made.rest = joint.rest;
  made.detachable = joint.detachable;
  made.firmness = joint.firmness;
  made.place = joint.place;
  // The parent of a root is the world.
  const Pose X_PB = link.parent.empty() ? robot.pose * link.pose : link.pose;
  const Vec3 v = joint.velocity, w = X_PB.q.conjugate() * joint.angular_velocity;
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kHinge:
    case JointType::kSlide:
      made.initial_position = {joint.initial};
      made.initial_velocity = {joint.initial_velocity};
      break;
    case JointType::kBall:
      made.initial_position = {1.0, 0.0, 0.0, 0.0};
      made.initial_velocity = {w.x(), w.y(), w.z()};
      break;
    case JointType::kFree:
      made.initial_position = {X_PB.p.x(), X_PB.p.y(), X_PB.p.z(), X_PB.q.w(),
                               X_PB.q.x(), X_PB.q.y(), X_PB.q.z()};
      made.initial_velocity = {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
      break;
  }
  return made;
}

void ModelBuilder::exclude_self_collisions(const Robot& robot, std::size_t first_body) {
  // Every pair is listed, so the number of links is limited: the list would take gigabytes.
  constexpr std::size_t kMaxLinks = 1'000;
  if (model_.bodies.size() - first_body > kMaxLinks) {
    diagnostics_.error(robot.place, "robot '{}': self_collide=\"false\" works for at most {} links", robot.name,
                       kMaxLinks);
    return;
  }
  for (std::size_t i = first_body; i < model_.bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < model_.bodies.size(); ++j) {
      model_.excluded.emplace_back(BodyId{static_cast<int>(i)}, BodyId{static_cast<int>(j)});
    }
  }
}

}  // namespace lockstep
