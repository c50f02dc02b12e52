#include "design/bodies.h"

#include <algorithm>

#include "base/text.h"

namespace lockstep {
namespace {

std::vector<std::string> body_names(const Design& design, bool with_objects) {
  std::vector<std::string> names;
  for (const DesignBody& link : design.links) names.push_back(link.name);
  if (!with_objects) return names;
  for (const DesignBody& object : design.objects) names.push_back(object.name);
  return names;
}

}  // namespace

const DesignBody& find_link(const Design& design, std::string_view name, const Place& place,
                            std::string_view subject) {
  for (const DesignBody& link : design.links) {
    if (link.name == name) return link;
  }
  throw_user_error(place, "{}: there is no link '{}'{}", subject, name,
                   suggest(name, body_names(design, false)));
}

DesignBody& find_link(Design& design, std::string_view name, const Place& place, std::string_view subject) {
  return const_cast<DesignBody&>(find_link(std::as_const(design), name, place, subject));
}

std::vector<DesignBody*> find_bodies(Design& design, std::string_view patterns, const Place& place,
                                     std::string_view subject) {
  std::vector<DesignBody*> found;
  for (const std::string& pattern : split_patterns(patterns)) {
    const std::size_t before = found.size();
    for (auto* bodies : {&design.links, &design.objects}) {
      for (DesignBody& body : *bodies) {
        if (fits_pattern(pattern, body.name)) found.push_back(&body);
      }
    }
    if (found.size() == before) {
      throw_user_error(place, "{}: no link or object matches '{}'{}", subject, pattern,
                       suggest(pattern, body_names(design, true)));
    }
  }
  return found;
}

void require_new_body(const Design& design, std::string_view name, const Place& place,
                      std::string_view subject) {
  const std::vector<std::string> names = body_names(design, true);
  if (std::find(names.begin(), names.end(), name) == names.end()) return;
  throw_user_error(place, "{}: '{}' already exists; expected a new name", subject, name);
}

void require_new_joint(const Design& design, std::string_view name, const Place& place) {
  for (const DesignBody& link : design.links) {
    if (link.joint && link.joint->name == name) {
      throw_user_error(place, "joint '{}' already exists, at link '{}'; expected a new name", name, link.name);
    }
  }
}

void require_new_site(const Design& design, std::string_view name, const Place& place) {
  for (const DesignBody& link : design.links) {
    for (const Site& site : link.sites) {
      if (site.name == name) {
        throw_user_error(place, "site '{}' already exists, on link '{}'; expected a new name", name, link.name);
      }
    }
  }
}

bool is_descendant(const Design& design, const DesignBody& link, std::string_view ancestor) {
  const DesignBody* at = &link;
  for (std::size_t i = 0; i <= design.links.size(); ++i) {
    if (at->name == ancestor) return true;
    if (at->parent.empty()) return false;
    at = &find_link(design, at->parent, link.place, "link");
  }
  return false;
}

Joint make_joint(const Assembly& assembly, const JointSetting& setting) {
  Joint joint = setting.joint;
  joint.place = setting.place;
  std::optional<Line> at, along;
  if (setting.at) at = find_line(assembly, *setting.at);
  if (setting.along) along = find_line(assembly, *setting.along);
  const bool has_axis = joint.type == JointType::kHinge || joint.type == JointType::kSlide;
  const bool needs_anchor = joint.type == JointType::kHinge || joint.type == JointType::kBall;
  if (needs_anchor && !setting.position && !at) {
    throw_user_error(setting.place, "joint '{}': no position is given; add a 'position' or an <at>",
                     joint.name);
  }
  if (has_axis && !setting.axis && !at && !along) {
    throw_user_error(setting.place, "joint '{}': no axis is given; add an 'axis', an <at> or an <along>",
                     joint.name);
  }
  joint.position = setting.position.value_or(at ? at->point : Vec3::Zero().eval());
  if (has_axis) {
    joint.axis = setting.axis ? *setting.axis : along ? along->direction : at->direction;
    if (joint.axis.norm() < 1e-9) {
      throw_user_error(setting.place, "joint '{}': axis has no length; expected a direction such as '0 0 1'",
                       joint.name);
    }
    joint.axis.normalize();
  }
  return joint;
}

}  // namespace lockstep
