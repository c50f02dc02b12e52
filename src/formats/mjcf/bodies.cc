#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "formats/mjcf/mjcf_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr std::size_t kMaxBodiesInFile = 5'000;
constexpr std::size_t kMaxBodyDepth = 1'000;  // included files count

class Reader {
 public:
  explicit Reader(MjcfSource& source) : source_(source), values_(source.values()) {
    for (const Element* item : source.section("asset")) {
      if (item->name != "material") continue;
      const Element material = source.resolved(*item, "material", "");
      if (const auto color = read_color(material)) colors_[XmlValues::text(material, "name")] = *color;
      if (material.find_attribute("texture") != nullptr) source_.lose("texture of a <material>");
    }
  }

  std::vector<MjcfBody> read() {
    bodies_.emplace_back().name = "world";
    for (const Element& child : source_.root().children) {
      if (child.name == "worldbody") read_inside(child, 0, {}, "", 0);
    }
    return std::move(bodies_);
  }

 private:
  /// Reads the content of a body, or of a <frame> at `pose` in it.
  void read_inside(const Element& element, int body, const Pose& pose, const std::string& childclass,
                   std::size_t depth) {
    if (depth > kMaxBodyDepth)
      throw_user_error(element.place, "bodies are nested more than {} levels deep", kMaxBodyDepth);
    for (const Element& child : element.children) {
      if (child.name == "body") {
        read_body(child, body, pose, childclass, depth);
      } else if (child.name == "frame") {
        const std::string own = XmlValues::text(child, "childclass");
        read_inside(child, body, pose * source_.pose(child), own.empty() ? childclass : own, depth + 1);
      } else if (child.name == "geom") {
        read_geom(child, bodies_[static_cast<std::size_t>(body)], pose, childclass);
      } else if (child.name == "site") {
        const Element site = source_.resolved(child, "site", childclass);
        Pose X = source_.pose(site);
        if (const auto ends = values_.numbers(site, "fromto", 6, 6)) (void)place_between(*ends, X);
        bodies_[static_cast<std::size_t>(body)].sites.push_back(
            {child.place, XmlValues::text(site, "name"), pose * X});
      } else if (child.name == "joint" || child.name == "freejoint") {
        bodies_[static_cast<std::size_t>(body)].joints.push_back(read_joint(child, childclass));
      } else if (child.name == "inertial") {
        bodies_[static_cast<std::size_t>(body)].inertial = read_inertial(child);
      } else if (child.name == "composite" || child.name == "flexcomp" || child.name == "replicate" ||
                 child.name == "attach") {
        values_.diagnostics().error(child.place, "<{}> makes bodies that a scenario does not support",
                                    child.name);
      } else {
        source_.lose("<" + child.name + ">");
      }
    }
  }

  void read_body(const Element& element, int parent, const Pose& pose, const std::string& childclass,
                 std::size_t depth) {
    if (bodies_.size() > kMaxBodiesInFile)
      throw_user_error(element.place, "there are more than {} bodies", kMaxBodiesInFile);
    MjcfBody& body = bodies_.emplace_back();
    body.place = element.place;
    body.name = XmlValues::text(element, "name");
    body.parent = parent;
    body.pose = pose * source_.pose(element);
    body.has_position = element.find_attribute("pos") != nullptr;
    if (!body.name.empty() && !names_.insert(body.name).second)
      values_.diagnostics().error(element.place, "there is another body '{}'", xml::shown(body.name));
    if (source_.is_on(element, "mocap", false)) source_.lose("mocap of body '" + body.name + "': it is static");
    if (values_.number(element, "gravcomp", 0.0) != 0.0)
      source_.differ(element.place, "gravcomp of body '" + body.name + "'");
    const std::string own = XmlValues::text(element, "childclass");
    read_inside(element, static_cast<int>(bodies_.size()) - 1, {}, own.empty() ? childclass : own, depth + 1);
  }

  MjcfJoint read_joint(const Element& element, const std::string& childclass) {
    MjcfJoint joint;
    joint.place = element.place;
    joint.name = XmlValues::text(element, "name");
    if (element.name == "freejoint") {
      joint.type = MjcfJointType::kFree;
      return joint;
    }
    const Element e = source_.resolved(element, "joint", childclass);
    const std::string type = XmlValues::text(e, "type");
    joint.type = type == "slide"  ? MjcfJointType::kSlide
                 : type == "ball" ? MjcfJointType::kBall
                 : type == "free" ? MjcfJointType::kFree
                                  : MjcfJointType::kHinge;
    if (!type.empty() && type != "hinge" && joint.type == MjcfJointType::kHinge)
      values_.diagnostics().error(e.place, "{}: unknown type '{}'", subject_of(e), xml::shown(type));
    const bool turns = joint.type == MjcfJointType::kHinge || joint.type == MjcfJointType::kBall;
    const auto position = [&](double value) { return turns ? source_.angle(value) : value; };
    joint.position = values_.vector(e, "pos", Vec3::Zero());
    joint.axis = values_.vector(e, "axis", Vec3::UnitZ());
    if (joint.axis.norm() < 1e-9) values_.diagnostics().error(e.place, "{}: axis has no length", subject_of(e));
    joint.reference = position(values_.number(e, "ref", 0.0));
    joint.spring_reference = position(values_.number(e, "springref", 0.0));
    joint.stiffness = at_least_zero(e, "stiffness");
    joint.damping = at_least_zero(e, "damping");
    joint.friction = source_.is_disabled("frictionloss") ? 0.0 : at_least_zero(e, "frictionloss");
    joint.armature = at_least_zero(e, "armature");
    joint.limit = read_softness(source_, e, "limit");
    joint.loss = read_softness(source_, e, "friction");
    read_range(e, joint, position);
    for (const char* name : {"springdamper", "margin", "actuatorfrcrange"}) {
      if (const auto values = values_.numbers(e, name, 1, 2); values && values->front() != 0.0)
        source_.differ(joint.place, std::string(name) + " of joint '" + joint.name + "'");
    }
    return joint;
  }

  /// Whether both ends of a range are so far away that nothing reaches them.
  static bool is_endless(const std::string& range) {
    constexpr double kFar = 1e9;  // rad, deg or m
    char* end = nullptr;
    const double lower = std::strtod(range.c_str(), &end), upper = std::strtod(end, nullptr);
    return lower < -kFar && upper > kFar;
  }

  template <class Convert>
  void read_range(const Element& e, MjcfJoint& joint, Convert position) {
    if (is_endless(XmlValues::text(e, "range")))
      return source_.lose("range of joint '" + joint.name + "': it is too large for a limit");
    const auto range = values_.numbers(e, "range", 2, 2);
    const std::string limited = XmlValues::text(e, "limited");
    const bool is_automatic = limited.empty() || limited == "auto";
    const bool is_limited = source_.is_limited(e, "limited", range.has_value());
    if (range && is_automatic && !is_limited)
      source_.lose("range of joint '" + joint.name + "': MuJoCo 2.2 ignores it without limited or autolimits");
    if (!is_limited || !range || source_.is_disabled("limit")) return;
    if (joint.type == MjcfJointType::kBall) {
      source_.differ(joint.place, "range of ball joint '" + joint.name + "'");
    } else if ((*range)[0] < (*range)[1]) {
      joint.range = {position((*range)[0]), position((*range)[1])};
    } else {
      values_.diagnostics().error(e.place, "{}: range {} to {} is empty", subject_of(e), (*range)[0],
                                  (*range)[1]);
    }
  }

  double at_least_zero(const Element& element, const char* name) {
    const double value = values_.number(element, name, 0.0);
    if (value < 0.0)
      source_.differ(element.place, fmt::format("{}: {} is {}, less than 0", subject_of(element), name, value));
    return std::max(value, 0.0);
  }

  std::optional<MassProperties> read_inertial(const Element& element) {
    MassProperties mass;
    mass.mass = values_.number(element, "mass", 0.0);
    mass.center = values_.vector(element, "pos", Vec3::Zero());
    const Mat3 R = source_.orientation(element).toRotationMatrix();
    if (const auto full = values_.numbers(element, "fullinertia", 6, 6)) {
      const auto& f = *full;
      mass.inertia << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
    } else if (const auto diagonal = values_.vector(element, "diaginertia")) {
      mass.inertia = diagonal->asDiagonal();
    }
    mass.inertia = R * mass.inertia * R.transpose();
    mass.inertia = 0.5 * (mass.inertia + mass.inertia.transpose()).eval();
    return mass;
  }

  std::optional<Color> read_color(const Element& element) {
    const auto rgba = values_.numbers(element, "rgba", 4, 4);
    if (!rgba) return std::nullopt;
    Color color{};
    for (std::size_t i = 0; i < 4; ++i) color[i] = std::clamp((*rgba)[i], 0.0, 1.0);
    return color;
  }

  /// Centre and direction of a geom given by two end points; returns its length.
  double place_between(const std::vector<double>& ends, Pose& pose) {
    const Vec3 a(ends[0], ends[1], ends[2]), b(ends[3], ends[4], ends[5]);
    // MuJoCo's z axis points from the second to the first.
    if ((a - b).norm() > 0.0) pose = {0.5 * (a + b), rotation_between(Vec3::UnitZ(), a - b)};
    return (a - b).norm();
  }

  void read_geom(const Element& element, MjcfBody& body, const Pose& pose, const std::string& childclass) {
    const Element e = source_.resolved(element, "geom", childclass);
    MjcfGeom geom;
    geom.place = element.place;
    geom.name = XmlValues::text(e, "name");
    if (const std::string type = XmlValues::text(e, "type"); !type.empty()) geom.type = type;
    geom.pose = source_.pose(e);
    geom.mesh = XmlValues::text(e, "mesh");
    geom.hfield = XmlValues::text(e, "hfield");
    geom.mass = values_.number(e, "mass");
    geom.density = at_least_zero_or(e, "density", 1000.0);
    geom.group = static_cast<int>(values_.number(e, "group", 0.0));
    if (const auto known = colors_.find(XmlValues::text(e, "material")); known != colors_.end())
      geom.color = known->second;
    if (const auto color = read_color(e)) geom.color = *color;
    read_contact(e, geom.contact);
    if (!read_form(e, geom)) return;
    geom.pose = pose * geom.pose;
    body.geoms.push_back(std::move(geom));
  }

  double at_least_zero_or(const Element& element, const char* name, double usual) {
    return element.find_attribute(name) == nullptr ? usual : at_least_zero(element, name);
  }

  void read_contact(const Element& e, MjcfContact& contact) {
    const auto integer = [&](const char* name, int usual) {
      return static_cast<int>(values_.number(e, name, usual));
    };
    contact.type = integer("contype", 1);
    contact.affinity = integer("conaffinity", 1);
    contact.dimension = integer("condim", 3);
    contact.priority = integer("priority", 0);
    contact.mix = values_.number(e, "solmix", 1.0);
    if (const auto friction = values_.numbers(e, "friction", 1, 3)) {
      for (std::size_t i = 0; i < friction->size(); ++i)
        contact.friction[static_cast<Eigen::Index>(i)] = std::max(0.0, (*friction)[i]);
    }
    contact.softness = read_softness(source_, e, "");
    contact.margin = read_distance(source_, e, "margin");
    contact.gap = read_distance(source_, e, "gap");
    if (XmlValues::text(e, "fluidshape") == "ellipsoid") source_.lose("fluidshape of a <geom>");
  }

  /// False, with an error or a loss, if a scenario has no such shape.
  bool read_form(const Element& e, MjcfGeom& geom) {
    const std::vector<double> size = values_.numbers(e, "size", 1, 3).value_or(std::vector<double>{});
    double length = 0.0;
    const auto ends = values_.numbers(e, "fromto", 6, 6);
    if (ends) length = place_between(*ends, geom.pose);
    const auto needs = [&](std::size_t count) {
      const bool is_right =
          size.size() >= count && std::all_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(count),
                                              [](double each) { return each > 0.0; });
      if (!is_right)
        values_.diagnostics().error(e.place, "{}: a {} needs a size of {} numbers above 0", subject_of(e),
                                    geom.type, count);
      return is_right;
    };
    if (geom.type == "plane" || geom.type == "hfield") return true;
    if (geom.type == "mesh" || !geom.mesh.empty()) {
      if (geom.type != "mesh")
        source_.differ(e.place, "fitting of a " + geom.type + " to a mesh: the mesh itself is used");
      geom.type = "mesh";
      geom.geometry = MeshFile{};
      return true;
    }
    if (geom.type == "sphere") {
      if (!needs(1)) return false;
      geom.geometry = Sphere{size[0]};
    } else if (geom.type == "capsule" || geom.type == "cylinder") {
      if (!needs(ends ? 1 : 2)) return false;
      if (!ends) length = 2.0 * size[1];
      if (length <= 0.0) return needs(4);
      if (geom.type == "capsule") {
        geom.geometry = Capsule{size[0], length};
      } else {
        geom.geometry = Cylinder{size[0], length};
      }
    } else if (geom.type == "box" || geom.type == "ellipsoid") {
      if (!needs(ends ? 1 : 3)) return false;
      const Vec3 half = ends ? Vec3(size[0], size.size() > 1 ? size[1] : size[0], 0.5 * length)
                             : Vec3(size[0], size[1], size[2]);
      geom.geometry = Box{2.0 * half};
      geom.radii = half;
    } else {
      source_.differ(e.place, "<geom> of type '" + geom.type + "'");
      return false;
    }
    return true;
  }

  MjcfSource& source_;
  XmlValues& values_;
  std::vector<MjcfBody> bodies_;
  std::set<std::string> names_;
  std::map<std::string, Color> colors_;
};

}  // namespace

std::vector<MjcfBody> read_mjcf_bodies(MjcfSource& source) {
  return Reader(source).read();
}

MjcfSoftness read_softness(MjcfSource& source, const Element& element, const std::string& which) {
  MjcfSoftness softness;
  const auto copy = [&](const std::string& name, auto& into) {
    const auto values = source.values().numbers(element, name + which, 1, into.size());
    if (values) std::copy(values->begin(), values->end(), into.begin());
  };
  copy("solref", softness.reference);
  copy("solimp", softness.impedance);
  return softness;
}

MjcfFirmness to_firmness(const MjcfSoftness& softness, MjcfSource& source, const Place& place,
                         const std::string& subject) {
  auto [time_constant, damping_ratio] = softness.reference;
  if (time_constant <= 0.0) {
    // -stiffness -damping: converted to time constant and damping ratio.
    const double stiffness = std::max(-time_constant, 1e-9), damping = std::max(-damping_ratio, 1e-9);
    time_constant = 2.0 / damping;
    damping_ratio = 1.0 / (time_constant * std::sqrt(stiffness));
  }
  constexpr double kMin = 0.0001, kMax = 0.9999, kMaxTimeConstant = 10.0, kMaxDamped = 100.0;
  const auto& d = softness.impedance;
  const MjcfSoftness usual;
  if (d[3] != usual.impedance[3] || d[4] != usual.impedance[4])
    source.differ(place, fmt::format("midpoint and power of solimp of {}", subject));
  MjcfFirmness firmness;
  firmness.time_constant = std::clamp(time_constant, 1e-9, kMaxTimeConstant);
  firmness.damping_ratio = std::clamp(damping_ratio, 1e-9, kMaxDamped);
  // MuJoCo clamps the first two to this range.
  firmness.impedance =
      Vec3(std::clamp(d[0], kMin, kMax), std::clamp(d[1], kMin, kMax), std::clamp(d[2], kMin, kMax));
  if (d[2] < kMin || d[2] > kMax || time_constant > kMaxTimeConstant || damping_ratio > kMaxDamped)
    source.differ(place, fmt::format("solref or solimp of {}: clamped to the range of <engine>", subject));
  return firmness;
}

}  // namespace lockstep
