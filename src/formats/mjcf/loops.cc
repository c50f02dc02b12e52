#include <algorithm>
#include <cmath>

#include "formats/mjcf/importer_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

std::optional<std::size_t> MjcfImporter::find_body(const Element& element, const char* attribute) {
  const std::string name = XmlValues::text(element, attribute);
  if (name.empty() || name == "world") return 0;
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return i;
  }
  diagnostics_.error(element.place, "<{}>: unknown body '{}'", element.name, xml::shown(name));
  return std::nullopt;
}

std::string MjcfImporter::add_site(std::size_t body, const Pose& pose, const std::string& wanted) {
  if (body == 0) {
    Object* fixed = scenario_.objects.empty() ? nullptr : &scenario_.objects.front();
    if (fixed == nullptr) {
      fixed = &scenario_.objects.emplace_back();
      fixed->name = "surroundings";
      fixed->is_static = true;
      Shape& shape = fixed->shapes.emplace_back();
      shape.geometry = Sphere{0.001};
      shape.collide = shape.visible = false;
    }
    fixed->sites.push_back({.place = {}, .name = fixed_names_.make(wanted), .pose = pose});
    return fixed->name + "/" + fixed->sites.back().name;
  }
  Robot& robot = scenario_.robots[robot_of_.at(static_cast<int>(body))];
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(robot.links.begin(), robot.links.end(), [&](const Link& link) {
      return std::any_of(link.sites.begin(), link.sites.end(), [&](const Site& s) { return s.name == name; });
    });
  };
  std::string name = loop_names_.make(wanted);
  while (is_taken(name)) name = loop_names_.make(wanted);
  for (Link& link : robot.links) {
    if (link.name != names_of_.at(static_cast<int>(body))) continue;
    link.sites.push_back({.place = {}, .name = name, .pose = pose});
    return robot.name + "/" + link.sites.back().name;
  }
  return {};
}

void MjcfImporter::add_equalities() {
  int number = 0;
  for (const Element* element : source_.section("equality")) {
    const Element e = source_.resolved(*element, "equality", "");
    const std::string subject = subject_of(*element) + " of <equality>";
    if (!source_.is_on(e, "active", true)) {
      source_.lose(subject + ", which is not active");
      continue;
    }
    std::string name = XmlValues::text(e, "name");
    name = loop_names_.make(name.empty() ? fmt::format("{}{}", e.name, ++number) : short_name(name));
    const Firmness firmness = different(read_softness(source_, e, ""), subject);
    if (e.name == "connect" || e.name == "weld") {
      add_loop(e, name, firmness);
    } else if (e.name == "joint") {
      add_coupling(e, name, firmness);
    } else {
      source_.lose(subject);
    }
  }
}

void MjcfImporter::add_loop(const Element& e, const std::string& name, const Firmness& firmness) {
  const auto a = find_body(e, "body1"), b = find_body(e, "body2");
  if (!a || !b) return;
  if (a == b) return diagnostics_.error(e.place, "<{}>: both ends are the same body", e.name);
  Loop& loop = scenario_.loops.emplace_back();
  loop.place = e.place;
  loop.name = name;
  loop.type = e.name == "weld" ? LoopType::kWeld : LoopType::kPoint;
  loop.firmness = firmness;
  Pose X_AE{values_.vector(e, "anchor", Vec3::Zero()), Quat::Identity()};
  Pose X_BE = poses_[*b].inverse() * poses_[*a] * X_AE;
  if (e.name == "weld") {
    // The anchor of a weld is that of the second body, and its pose may be told instead of taken as it stands.
    X_BE = X_AE;
    X_AE = poses_[*a].inverse() * poses_[*b] * X_BE;
    if (const auto r = values_.numbers(e, "relpose", 7, 7);
        r && ((*r)[3] != 0.0 || (*r)[4] != 0.0 || (*r)[5] != 0.0 || (*r)[6] != 0.0))
      X_AE =
          Pose{Vec3((*r)[0], (*r)[1], (*r)[2]), Quat((*r)[3], (*r)[4], (*r)[5], (*r)[6]).normalized()} * X_BE;
    if (values_.number(e, "torquescale", 1.0) != 1.0) source_.lose("torquescale of <weld>");
  }
  loop.a = add_site(*a, X_AE, name + "_a");
  loop.b = add_site(*b, X_BE, name + "_b");
  // It is closed where MuJoCo starts by itself. A keyframe may open it, which MuJoCo lets pass.
  const Pose X_WA = poses_[*a] * X_AE, X_WB = poses_[*b] * X_BE;
  const double gap = (X_WA.p - X_WB.p).norm();
  const double turn = loop.type == LoopType::kWeld ? X_WA.q.angularDistance(X_WB.q) : 0.0;
  constexpr double kClosed = 1e-3, kTurned = 1e-2, kRounded = 1.01;
  if (!start_.empty()) {
    loop.tolerance = 1.0;
  } else if (gap > kClosed || turn > kTurned) {
    loop.tolerance = kRounded * std::max(gap, turn * kClosed / kTurned);
    report_.suspicious.push_back(fmt::format(
        "loop '{}' is open at the start, by {:.4g} m and {:.4g} rad; it is pulled together", name, gap, turn));
  }
}

void MjcfImporter::add_coupling(const Element& e, const std::string& name, const Firmness& firmness) {
  const std::string first = XmlValues::text(e, "joint1"), second = XmlValues::text(e, "joint2");
  const auto joint = names_.joints.find(first), followed = names_.joints.find(second);
  std::vector<double> c = values_.numbers(e, "polycoef", 1, 5).value_or(std::vector<double>{0.0, 1.0});
  if (c.size() == 1) c.push_back(1.0);
  c.resize(5, 0.0);
  const bool is_straight = c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0;
  if (joint == names_.joints.end() || followed == names_.joints.end() || !is_straight ||
      joint->second.robot != followed->second.robot)
    return source_.lose(subject_of(e) +
                        " of <equality>: only straight couplings of two hinges or slides of one robot");
  Robot& robot = scenario_.robots[joint->second.robot];
  Coupling& coupling = robot.couplings.emplace_back();
  coupling.place = e.place;
  coupling.name = name;
  coupling.joint = joint->second.name;
  coupling.follows = followed->second.name;
  coupling.ratio = c[1];
  // MuJoCo counts both from their reference.
  coupling.offset = reference_of(first) + c[0] - c[1] * reference_of(second);
  coupling.firmness = firmness;
  follow(robot, coupling);
}

double MjcfImporter::reference_of(const std::string& joint) const {
  for (const auto& [each, place] : position_of_) {
    if (each->name == joint) return each->reference;
  }
  return 0.0;
}

void MjcfImporter::follow(Robot& robot, const Coupling& coupling) {
  double leader = 0.0;
  for (const Link& link : robot.links) {
    if (link.joint && link.joint->name == coupling.follows) leader = link.joint->initial;
  }
  for (Link& link : robot.links) {
    if (!link.joint || link.joint->name != coupling.joint) continue;
    const double start = coupling.ratio * leader + coupling.offset;
    constexpr double kNoticeable = 1e-6;
    if (std::abs(link.joint->initial - start) > kNoticeable)
      report_.assumed.push_back(fmt::format("joint '{}' starts at {:.6g}, where '{}' puts it", coupling.joint,
                                            start, coupling.follows));
    link.joint->initial = 0.0;
    if (link.joint->lower && (*link.joint->lower > 0.0 || *link.joint->upper < 0.0))
      link.joint->initial = start;
  }
}

void MjcfImporter::read_pairs() {
  std::map<std::string, MjcfGeom*> geoms;
  for (MjcfBody& body : bodies_) {
    for (MjcfGeom& geom : body.geoms) geoms.emplace(geom.name, &geom);
  }
  for (const Element* element : source_.section("contact")) {
    if (element->name != "pair") continue;
    Element pair = source_.resolved(*element, "pair", "");
    const auto a = geoms.find(XmlValues::text(pair, "geom1")), b = geoms.find(XmlValues::text(pair, "geom2"));
    if (a == geoms.end() || b == geoms.end()) {
      source_.lose("<pair> of <contact> with a geom that is not there");
      continue;
    }
    a->second->contact.paired_geom = a->first;
    b->second->contact.paired_geom = b->first;
    materials_.add_pair(std::move(pair));
  }
}

void MjcfImporter::add_contacts() {
  for (const Element* element : source_.section("contact")) {
    if (element->name == "pair") continue;  // read_pairs()
    if (element->name != "exclude") {
      source_.lose("<" + element->name + "> of <contact>");
      continue;
    }
    const auto a = find_body(*element, "body1"), b = find_body(*element, "body2");
    if (!a || !b) continue;
    const auto full_name = [&](std::size_t body) {
      return body == 0 ? std::string("world")
                       : scenario_.robots[robot_of_.at(static_cast<int>(body))].name + "/" +
                             names_of_.at(static_cast<int>(body));
    };
    if (*a == 0 || *b == 0) {
      source_.lose("<exclude> with the world");
    } else {
      scenario_.exclusions.push_back({.place = element->place, .a = full_name(*a), .b = full_name(*b)});
    }
  }
}

void MjcfImporter::add_tendons() {
  for (const Element* element : source_.section("tendon")) {
    const Element e = source_.resolved(*element, "tendon", "");
    const auto& path = element->children;
    const bool is_line =
        element->name == "spatial" && path.size() == 2 && path[0].name == "site" && path[1].name == "site";
    const double stiffness = values_.number(e, "stiffness", 0.0), damping = values_.number(e, "damping", 0.0);
    const auto find = [&](const Element& site) { return names_.sites.find(XmlValues::text(site, "site")); };
    if (!is_line || find(path[0]) == names_.sites.end() || find(path[1]) == names_.sites.end() ||
        (stiffness <= 0.0 && damping <= 0.0)) {
      source_.lose(subject_of(*element) + " of <tendon>");
      continue;
    }
    Spring& spring = scenario_.springs.emplace_back();
    spring.place = element->place;
    spring.name = loop_names_.make(XmlValues::text(e, "name").empty() ? "tendon"
                                                                      : short_name(XmlValues::text(e, "name")));
    const auto full = [&](const MjcfNames::Part& part) {
      return scenario_.robots[part.robot].name + "/" + part.name;
    };
    spring.a = full(find(path[0])->second);
    spring.b = full(find(path[1])->second);
    spring.stiffness = std::max(0.0, stiffness);
    spring.damping = std::max(0.0, damping);
    if (const auto length = values_.numbers(e, "springlength", 1, 2); length && length->front() >= 0.0)
      spring.length = length->front();
    for (const char* name : {"range", "frictionloss"}) {
      if (e.find_attribute(name) != nullptr) source_.lose(std::string(name) + " of <tendon>");
    }
  }
}

}  // namespace lockstep
