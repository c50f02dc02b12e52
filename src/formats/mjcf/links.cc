#include <algorithm>
#include <cmath>

#include "formats/common/link_mass.h"
#include "formats/mjcf/importer_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {
namespace {

Site make_site(const MjcfSite& site, Names& names) {
  return {.place = site.place,
          .name = names.make(short_mjcf_name(site.name.empty() ? "site" : site.name)),
          .pose = site.pose};
}

}  // namespace

void MjcfLinks::run() {
  for (const MjcfBody& body : layout_.bodies)
    layout_.poses.push_back(body.parent < 0 ? body.pose
                                            : layout_.poses[static_cast<std::size_t>(body.parent)] * body.pose);
  add_world();
  for (std::size_t i = 1; i < layout_.bodies.size(); ++i) {
    if (layout_.bodies[i].parent == 0) add_robot(layout_.bodies[i]);
    add_body(i);
  }
}

void MjcfLinks::add_world() {
  Object fixed;
  fixed.name = "surroundings";
  fixed.is_static = true;
  for (const MjcfGeom& geom : layout_.bodies[0].geoms) shapes_.add(geom, fixed.shapes, fixed.name);
  for (const MjcfSite& site : layout_.bodies[0].sites) {
    if (!fixed.shapes.empty()) fixed.sites.push_back(make_site(site, layout_.world_sites));
    if (fixed.shapes.empty()) import_.source.lose("<site> of the world");
  }
  if (!fixed.shapes.empty()) import_.scenario.objects.push_back(std::move(fixed));
}

void MjcfLinks::add_robot(const MjcfBody& body) {
  Robot& robot = import_.scenario.robots.emplace_back();
  robot.place = body.place;
  const std::size_t slash = body.name.find('/');
  const bool is_only = std::count_if(layout_.bodies.begin(), layout_.bodies.end(),
                                     [](const MjcfBody& each) { return each.parent == 0; }) == 1;
  robot.name = import_.top_names.make(slash != std::string::npos     ? body.name.substr(0, slash)
                                      : is_only || body.name.empty() ? import_.scenario.name
                                                                     : body.name);
  link_names_ = {};
  joint_names_ = {};
  site_names_ = {};
}

std::string MjcfLinks::body_label(std::size_t i) const {
  return layout_.bodies[i].name.empty() ? fmt::format("body{}", i) : short_mjcf_name(layout_.bodies[i].name);
}

void MjcfLinks::add_body(std::size_t i) {
  const MjcfBody& body = layout_.bodies[i];
  Robot& robot = import_.scenario.robots.back();
  std::string parent = body.parent == 0 ? "" : layout_.links.at(body.parent).name;
  Pose pose = body.pose;
  // Each joint but the last moves a massless link, which is the parent of the next.
  std::optional<Joint> last;
  for (std::size_t j = 0; j < body.joints.size(); ++j) {
    if (last) {
      Link& between = robot.links.emplace_back();
      between.place = body.place;
      between.name = link_names_.make(fmt::format("{}_{}", body_label(i), j));
      between.parent = parent;
      between.pose = std::exchange(pose, Pose{});
      between.joint = std::move(last);
      between.massless = true;
      parent = between.name;
      ++layout_.between_count;
    }
    last = make_joint(body.joints[j], body_label(i), pose, body.parent == 0);
  }
  Link link;
  link.place = body.place;
  link.name = link_names_.make(body_label(i));
  link.parent = parent;
  link.pose = pose;
  link.joint = std::move(last);
  for (const MjcfGeom& geom : body.geoms) shapes_.add(geom, link.shapes, link.name);
  for (const MjcfSite& site : body.sites) {
    link.sites.push_back(make_site(site, site_names_));
    if (!site.name.empty())
      layout_.names.sites[site.name] = {import_.scenario.robots.size() - 1, link.sites.back().name};
  }
  if (const auto mass = calc_mjcf_mass(import_, assets_, body, link.name)) {
    link.inertial = to_inertial(*mass);
  } else {
    for (Shape& shape : link.shapes) shape.mass = 0.0;
  }
  layout_.links[static_cast<int>(i)] = {import_.scenario.robots.size() - 1, link.name};
  if (!body.name.empty()) layout_.names.bodies[body.name] = {import_.scenario.robots.size() - 1, link.name};
  robot.links.push_back(std::move(link));
}

Joint MjcfLinks::make_joint(const MjcfJoint& from, const std::string& body, Pose& pose, bool is_root) {
  Joint joint;
  joint.place = from.place;
  joint.name = joint_names_.make(from.name.empty() ? body + "_joint" : short_mjcf_name(from.name));
  if (from.type == MjcfJointType::kFree) {
    joint.type = JointType::kFree;
    if (from.damping > 0.0 || from.friction > 0.0 || from.armature > 0.0 || from.stiffness > 0.0)
      import_.source.differ(
          from.place, fmt::format("damping, friction, armature and stiffness of free joint '{}'", joint.name));
    set_free_start(from, body, joint, pose, is_root);
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
    set_ball_start(from, joint, pose);
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
  const double* start = start_.position_of(from);
  const double* speed = start_.velocity_of(from);
  joint.initial = start ? start[0] : from.reference;
  joint.initial_velocity = speed ? speed[0] : 0.0;
  set_range(from, joint);
  if (!from.name.empty()) layout_.names.joints[from.name] = {import_.scenario.robots.size() - 1, joint.name};
  return joint;
}

void MjcfLinks::set_free_start(const MjcfJoint& from, const std::string& body, Joint& joint, Pose& pose,
                               bool is_root) {
  if (!is_root)
    import_.diagnostics.error(from.place, "body '{}': only bodies of the world can have a free joint", body);
  if (const double* start = start_.position_of(from))
    pose = {Vec3(start[0], start[1], start[2]), Quat(start[3], start[4], start[5], start[6]).normalized()};
  // MuJoCo's angular velocity is in body axes.
  if (const double* speed = start_.velocity_of(from)) {
    joint.velocity = {speed[0], speed[1], speed[2]};
    joint.angular_velocity = pose.q * Vec3(speed[3], speed[4], speed[5]);
  }
}

void MjcfLinks::set_ball_start(const MjcfJoint& from, Joint& joint, Pose& pose) {
  const double* start = start_.position_of(from);
  const Quat turn = start ? Quat(start[0], start[1], start[2], start[3]).normalized() : Quat::Identity();
  if (const double* speed = start_.velocity_of(from))
    joint.angular_velocity = pose.q * turn * Vec3(speed[0], speed[1], speed[2]);
  if (start == nullptr) return;
  pose = pose * Pose{from.position - turn * from.position, turn};
  import_.report.assumed.push_back(
      fmt::format("ball joint '{}' is relative to its initial orientation", joint.name));
  if (from.stiffness > 0.0)
    import_.source.differ(from.place, "rest position of the spring of ball joint '" + joint.name +
                                          "': it is the initial position");
}

void MjcfLinks::set_range(const MjcfJoint& from, Joint& joint) {
  if (!from.range) return;
  joint.lower = (*from.range)[0];
  joint.upper = (*from.range)[1];
  const double inside = std::clamp(joint.initial, *joint.lower, *joint.upper);
  if (inside == joint.initial) return;
  import_.source.differ(from.place,
                        fmt::format("joint '{}' would start at {:.6g}, beyond its limits; it starts at {:.6g}",
                                    joint.name, joint.initial, inside));
  joint.initial = inside;
  layout_.starts_elsewhere = true;
}

void MjcfLinks::set_firmness(const MjcfJoint& from, Joint& joint) {
  const bool has_limit = from.range.has_value(), has_loss = from.friction > 0.0;
  if (has_limit && has_loss && !(from.limit == from.loss))
    import_.source.differ(
        from.place,
        fmt::format("solreffriction and solimpfriction of joint '{}': those of its limits are used for both",
                    joint.name));
  MjcfFirmness firmness;
  if (has_limit || has_loss)
    firmness = different_firmness(has_limit ? from.limit : from.loss, import_.source, from.place,
                                  "joint '" + joint.name + "'");
  joint.firmness.time_constant = firmness.time_constant;
  joint.firmness.damping_ratio = firmness.damping_ratio;
  joint.firmness.own =
      write_own(MujocoJointOptions{.type = {},
                                   .reference = from.type == MjcfJointType::kBall ? 0.0 : from.reference,
                                   .impedance = firmness.impedance});
}

std::string short_mjcf_name(const std::string& name) {
  return name.substr(name.find('/') + 1);
}

std::optional<std::size_t> MjcfLayout::find_body(const Element& element, const char* attribute,
                                                 Diagnostics& diagnostics) const {
  const std::string name = XmlValues::text(element, attribute);
  if (name.empty() || name == "world") return 0;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    if (bodies[i].name == name) return i;
  }
  diagnostics.error(element.place, "<{}>: unknown body '{}'", element.name, xml::shown(name));
  return std::nullopt;
}

MjcfFirmness different_firmness(const MjcfSoftness& softness, MjcfSource& source, const Place& place,
                                const std::string& subject) {
  const MjcfSoftness usual;
  MjcfFirmness firmness = to_firmness(softness, source, place, subject);
  if (softness.reference == usual.reference) firmness.time_constant.reset(), firmness.damping_ratio.reset();
  if (softness.impedance == usual.impedance) firmness.impedance.reset();
  return firmness;
}

}  // namespace lockstep
