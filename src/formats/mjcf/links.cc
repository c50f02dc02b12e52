#include <algorithm>
#include <cmath>

#include "formats/common/link_mass.h"
#include "formats/mjcf/importer_internal.h"

namespace lockstep {

void MjcfImporter::add_world() {
  Object fixed;
  fixed.name = "surroundings";
  fixed.is_static = true;
  for (const MjcfGeom& geom : bodies_[0].geoms) add_geom(geom, fixed.shapes, fixed.name);
  for (const MjcfSite& site : bodies_[0].sites) {
    if (!fixed.shapes.empty()) fixed.sites.push_back(make_site(site, fixed_names_));
    if (fixed.shapes.empty()) source_.lose("<site> of the world");
  }
  if (!fixed.shapes.empty()) scenario_.objects.push_back(std::move(fixed));
}

Site MjcfImporter::make_site(const MjcfSite& site, Names& names) {
  return {.place = site.place,
          .name = names.make(short_name(site.name.empty() ? "site" : site.name)),
          .pose = site.pose};
}

std::string MjcfImporter::short_name(const std::string& name) {
  return name.substr(name.find('/') + 1);
}

void MjcfImporter::add_bodies() {
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    const MjcfBody& body = bodies_[i];
    if (body.parent == 0) {
      Robot& robot = scenario_.robots.emplace_back();
      robot.place = body.place;
      const std::size_t slash = body.name.find('/');
      const bool is_only = std::count_if(bodies_.begin(), bodies_.end(),
                                         [](const MjcfBody& each) { return each.parent == 0; }) == 1;
      robot.name = robot_names_.make(slash != std::string::npos     ? body.name.substr(0, slash)
                                     : is_only || body.name.empty() ? scenario_.name
                                                                    : body.name);
      link_names_ = {};
      joint_names_ = {};
      site_names_ = {};
    }
    add_body(i);
  }
}

std::string MjcfImporter::body_label(std::size_t i) const {
  return bodies_[i].name.empty() ? fmt::format("body{}", i) : short_name(bodies_[i].name);
}

void MjcfImporter::add_body(std::size_t i) {
  const MjcfBody& body = bodies_[i];
  Robot& robot = scenario_.robots.back();
  std::string parent = body.parent == 0 ? "" : names_of_[body.parent];
  Pose pose = body.pose;
  // Each joint but the last carries a link of hardly any mass, which carries the next.
  std::optional<Joint> last;
  for (std::size_t j = 0; j < body.joints.size(); ++j) {
    if (last) {
      Link& between = robot.links.emplace_back();
      between.place = body.place;
      between.name = link_names_.make(fmt::format("{}_{}", body_label(i), j));
      between.parent = parent;
      between.pose = std::exchange(pose, Pose{});
      between.joint = std::move(last);
      between.inertial = to_inertial(make_grain(kHardlyAnyMass));
      parent = between.name;
      ++between_count_;
    }
    last = make_joint(body.joints[j], body_label(i), pose, body.parent == 0);
  }
  Link link;
  link.place = body.place;
  link.name = link_names_.make(body_label(i));
  link.parent = parent;
  link.pose = pose;
  link.joint = std::move(last);
  for (const MjcfGeom& geom : body.geoms) add_geom(geom, link.shapes, link.name);
  for (const MjcfSite& site : body.sites) {
    link.sites.push_back(make_site(site, site_names_));
    if (!site.name.empty()) names_.sites[site.name] = {scenario_.robots.size() - 1, link.sites.back().name};
  }
  if (const auto mass = calc_mass(body, link.name)) {
    link.inertial = to_inertial(*mass);
  } else {
    for (Shape& shape : link.shapes) shape.mass = 0.0;
  }
  names_of_[static_cast<int>(i)] = link.name;
  robot_of_[static_cast<int>(i)] = scenario_.robots.size() - 1;
  if (!body.name.empty()) names_.bodies[body.name] = {scenario_.robots.size() - 1, link.name};
  robot.links.push_back(std::move(link));
}

Joint MjcfImporter::make_joint(const MjcfJoint& from, const std::string& body, Pose& pose, bool is_root) {
  Joint joint;
  joint.place = from.place;
  joint.name = joint_names_.make(from.name.empty() ? body + "_joint" : short_name(from.name));
  const double* start = start_.empty() ? nullptr : start_.data() + position_of_.at(&from);
  const double* speed = start_velocity_.empty() ? nullptr : start_velocity_.data() + velocity_of_.at(&from);
  if (from.type == MjcfJointType::kFree) {
    joint.type = JointType::kFree;
    if (!is_root)
      diagnostics_.error(from.place, "body '{}': only bodies of the world can have a free joint", body);
    if (start)
      pose = {Vec3(start[0], start[1], start[2]), Quat(start[3], start[4], start[5], start[6]).normalized()};
    if (speed && std::any_of(speed, speed + 6, [](double v) { return v != 0.0; }))
      source_.lose("velocity of a free body in a keyframe");
    return joint;
  }
  joint.position = from.position;
  joint.damping = from.damping;
  joint.friction = from.friction;
  joint.armature = from.armature;
  joint.stiffness = from.stiffness;
  set_firmness(from, joint);
  if (from.type == MjcfJointType::kBall) {
    joint.type = JointType::kBall;
    if (start) {
      const Quat turn = Quat(start[0], start[1], start[2], start[3]).normalized();
      pose = pose * Pose{from.position - turn * from.position, turn};
      report_.assumed.push_back(fmt::format("ball joint '{}' counts from where it starts", joint.name));
      if (from.stiffness > 0.0)
        source_.lose("where the spring of ball joint '" + joint.name + "' is slack: it is where it starts");
    }
    return joint;
  }
  const bool slides = from.type == MjcfJointType::kSlide;
  joint.type = slides ? JointType::kSlide : JointType::kHinge;
  joint.axis = from.axis;
  const Vec3 axis = from.axis.normalized();
  if (from.reference != 0.0) {
    if (slides) {
      pose = pose * Pose{-from.reference * axis, Quat::Identity()};
    } else {
      const Quat turn(Eigen::AngleAxisd(-from.reference, axis));
      pose = pose * Pose{from.position - turn * from.position, turn};
    }
  }
  if (from.stiffness > 0.0) joint.rest = from.spring_reference;
  joint.initial = start ? start[0] : from.reference;
  joint.initial_velocity = speed ? speed[0] : 0.0;
  if (from.range) {
    joint.lower = (*from.range)[0];
    joint.upper = (*from.range)[1];
    const double inside = std::clamp(joint.initial, *joint.lower, *joint.upper);
    if (inside != joint.initial) {
      report_.suspicious.push_back(
          fmt::format("joint '{}' would start at {:.6g}, beyond its limits; it starts at {:.6g}", joint.name,
                      joint.initial, inside));
      joint.initial = inside;
    }
  }
  if (!from.name.empty()) names_.joints[from.name] = {scenario_.robots.size() - 1, joint.name};
  return joint;
}

MjcfFirmness MjcfImporter::different(const MjcfSoftness& softness, const std::string& subject) {
  const MjcfSoftness usual;
  MjcfFirmness firmness = to_firmness(softness, source_, subject);
  if (softness.reference == usual.reference) firmness.time_constant.reset(), firmness.damping_ratio.reset();
  if (softness.impedance == usual.impedance) firmness.impedance.reset();
  return firmness;
}

void MjcfImporter::set_firmness(const MjcfJoint& from, Joint& joint) {
  const bool has_limit = from.range.has_value(), has_loss = from.friction > 0.0;
  if (has_limit && has_loss && !(from.limit == from.loss))
    source_.lose(fmt::format(
        "solreffriction and solimpfriction of joint '{}': those of its limits hold for both", joint.name));
  MjcfFirmness firmness;
  if (has_limit || has_loss)
    firmness = different(has_limit ? from.limit : from.loss, "joint '" + joint.name + "'");
  joint.firmness.time_constant = firmness.time_constant;
  joint.firmness.damping_ratio = firmness.damping_ratio;
  joint.firmness.own =
      write_own(MujocoJointOptions{.type = {},
                                   .reference = from.type == MjcfJointType::kBall ? 0.0 : from.reference,
                                   .impedance = firmness.impedance});
}

}  // namespace lockstep
