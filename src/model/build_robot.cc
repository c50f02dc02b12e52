#include <algorithm>
#include <numbers>

#include "model/builder_internal.h"

namespace lockstep {

/// Parents before children, otherwise in the order they are written.
std::vector<const Link*> ModelBuilder::sort_links(const Robot& robot) {
  std::map<std::string, const Link*> by_name;
  std::vector<std::string> names;
  std::map<std::string, std::vector<const Link*>> children;
  const Link* root = nullptr;
  bool sound = true;
  for (const Link& link : robot.links) {
    if (!claim("link", robot.name + "/" + link.name, link.place)) sound = false;
    by_name.emplace(link.name, &link);
    names.push_back(link.name);
  }
  for (const Link& link : robot.links) {
    if (!link.parent.empty()) {
      children[link.parent].push_back(&link);
      if (by_name.contains(link.parent)) continue;
      std::vector<std::string> others = names;
      std::erase(others, link.name);
      diagnostics_.error(link.place, "link '{}/{}': unknown parent '{}'{}", robot.name, link.name, link.parent,
                         suggest(link.parent, others));
      sound = false;
    } else if (root == nullptr) {
      root = &link;
    } else {
      diagnostics_.error(link.place, "link '{}/{}': has no parent, but '{}' is the root already; name a parent",
                         robot.name, link.name, root->name);
      sound = false;
    }
  }
  if (!sound) return {};
  if (root == nullptr) {
    diagnostics_.error(robot.place, "robot '{}': {}", robot.name,
                       robot.links.empty() ? "has no links; give it at least one <link>"
                                           : "has no root; one link must have no parent");
    return {};
  }

  std::vector<const Link*> sorted = {root};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto it = children.find(sorted[i]->name);
    if (it != children.end()) sorted.insert(sorted.end(), it->second.begin(), it->second.end());
  }
  if (sorted.size() < robot.links.size()) {
    const auto lost = std::find_if(robot.links.begin(), robot.links.end(), [&](const Link& link) {
      return std::find(sorted.begin(), sorted.end(), &link) == sorted.end();
    });
    diagnostics_.error(lost->place,
                       "link '{}/{}': is its own ancestor; close loops with <loop> and keep the parents a tree",
                       robot.name, lost->name);
    return {};
  }
  return sorted;
}

void ModelBuilder::add_robot(const Robot& robot) {
  if (!claim("body", robot.name, robot.place)) return;
  const std::size_t first_body = model_.bodies.size();
  const std::vector<const Link*> links = sort_links(robot);
  for (const Link* link : links) add_link(robot, *link);
  if (!diagnostics_.has_errors()) require_mass_of_moving_links(robot, links);
  if (!robot.self_collide) exclude_self_collisions(robot, first_body);
}

void ModelBuilder::add_link(const Robot& robot, const Link& link) {
  const std::string full_name = robot.name + "/" + link.name;
  const std::string subject = "link '" + full_name + "'";
  const BodyId body{static_cast<int>(model_.bodies.size())};
  BodyModel added;
  added.name = full_name;
  added.place = link.place;
  if (link.parent.empty()) {
    added.X_PB = robot.pose * link.pose;
  } else {
    added.parent = *model_.find_body(robot.name + "/" + link.parent);
    added.X_PB = link.pose;
  }
  added.mass = calc_mass(link.shapes, link.inertial, subject, link.place, false);
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

/// What moves must have a mass: its own, or that of a link that is welded to it.
void ModelBuilder::require_mass_of_moving_links(const Robot& robot, const std::vector<const Link*>& links) {
  std::set<std::string> with_mass;
  const auto is_welded = [](const Link& link) {
    return !link.joint || (link.joint->type == JointType::kFixed && !link.joint->detachable);
  };
  for (auto it = links.rbegin(); it != links.rend(); ++it) {
    const Link& link = **it;
    if (model_.body(*model_.find_body(robot.name + "/" + link.name)).mass.mass > 0.0)
      with_mass.insert(link.name);
    const bool has_mass = with_mass.contains(link.name);
    if (has_mass && is_welded(link)) with_mass.insert(link.parent);
    if (has_mass || is_welded(link)) continue;
    diagnostics_.error(link.place,
                       "link '{}/{}': moves but has no mass; give it a shape with a mass or an <inertial>",
                       robot.name, link.name);
  }
}

bool ModelBuilder::joint_makes_sense(const std::string& subject, const Joint& joint, bool has_parent) {
  const auto refuse = [&](std::string_view why) {
    diagnostics_.error(joint.place, "{}: {}", subject, why);
    return false;
  };
  const bool is_axial = joint.type == JointType::kHinge || joint.type == JointType::kSlide;
  const char* unit = joint.type == JointType::kSlide ? "m" : "rad";
  const bool is_driven = joint.lower || joint.upper || joint.damping != 0.0 || joint.friction != 0.0 ||
                         joint.armature != 0.0 || joint.stiffness != 0.0 || joint.rest != 0.0;
  if (joint.type == JointType::kFree && has_parent) {
    return refuse("only the root of a robot can have a free joint; leave it out or choose another type");
  }
  if (is_axial && joint.axis.norm() < 1e-9)
    return refuse("axis has no length; expected a direction such as '0 0 1'");
  if (joint.lower.has_value() != joint.upper.has_value()) {
    return refuse(joint.lower ? "has 'lower' but no 'upper'; a limit needs both"
                              : "has 'upper' but no 'lower'; a limit needs both");
  }
  if (joint.lower && !(*joint.lower < *joint.upper)) {
    return refuse(
        fmt::format("lower {:.6g} {} is not below upper {:.6g} {}", *joint.lower, unit, *joint.upper, unit));
  }
  if (!is_axial && (joint.lower || joint.initial != 0.0 || joint.initial_velocity != 0.0)) {
    return refuse("limits and initial values are for hinge and slide joints only");
  }
  if ((joint.type == JointType::kFixed || joint.type == JointType::kFree) && is_driven) {
    return refuse("a fixed or free joint takes no damping, friction, armature or spring");
  }
  if (joint.lower && (joint.initial < *joint.lower || joint.initial > *joint.upper)) {
    return refuse(fmt::format("initial {:.6g} {} lies outside its limits; expected {:.6g} to {:.6g} {}",
                              joint.initial, unit, *joint.lower, *joint.upper, unit));
  }
  if (joint.detachable) {
    if (joint.type == JointType::kSlide || joint.type == JointType::kFree) {
      return refuse("cannot be detachable; only fixed, hinge and ball joints can");
    }
    if (is_driven || joint.initial != 0.0 || joint.initial_velocity != 0.0) {
      return refuse(
          "a detachable joint takes no limits, damping, friction, armature, spring or initial values");
    }
  }
  return true;
}

std::optional<JointModel> ModelBuilder::make_joint(const Robot& robot, const Link& link, const Joint& joint) {
  const std::string name = robot.name + "/" + joint.name;
  if (!claim("joint", name, joint.place)) return std::nullopt;
  if (!joint_makes_sense("joint '" + name + "'", joint, !link.parent.empty())) return std::nullopt;

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
      made.initial_velocity = {0.0, 0.0, 0.0};
      break;
    case JointType::kFree: {
      const Pose X_WB = robot.pose * link.pose;
      made.initial_position = {X_WB.p.x(), X_WB.p.y(), X_WB.p.z(), X_WB.q.w(),
                               X_WB.q.x(), X_WB.q.y(), X_WB.q.z()};
      made.initial_velocity.assign(6, 0.0);
      break;
    }
  }
  return made;
}

void ModelBuilder::exclude_self_collisions(const Robot& robot, std::size_t first_body) {
  // Every pair is listed, so the number of links is bounded where listing them would cost gigabytes.
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
