#include <algorithm>

#include "formats/mjcf/importer_internal.h"

namespace lockstep {

namespace {

/// MuJoCo's rule for two geoms in contact: the one of higher priority decides; at equal priority the larger
/// friction and the weighted mean of softness.
MjcfContact mixed(const MjcfContact& a, const MjcfContact& b) {
  MjcfContact mix = a.priority >= b.priority ? a : b;
  mix.margin = std::max(a.margin, b.margin);
  mix.gap = std::max(a.gap, b.gap);
  if (a.priority != b.priority) return mix;
  mix.dimension = std::max(a.dimension, b.dimension);
  mix.friction = a.friction.cwiseMax(b.friction);
  constexpr double kTiny = 1e-15;
  const double share = a.mix >= kTiny && b.mix >= kTiny ? a.mix / (a.mix + b.mix)
                       : a.mix < kTiny && b.mix < kTiny ? 0.5
                       : a.mix < kTiny                  ? 0.0
                                                        : 1.0;
  const auto& ra = a.softness.reference;
  const auto& rb = b.softness.reference;
  for (std::size_t i = 0; i < 2; ++i) {
    const bool is_standard = ra[0] > 0.0 && rb[0] > 0.0;
    mix.softness.reference[i] = is_standard ? share * ra[i] + (1.0 - share) * rb[i] : std::min(ra[i], rb[i]);
  }
  for (std::size_t i = 0; i < mix.softness.impedance.size(); ++i)
    mix.softness.impedance[i] = share * a.softness.impedance[i] + (1.0 - share) * b.softness.impedance[i];
  return mix;
}

bool touch(const MjcfContact& a, const MjcfContact& b) {
  return (a.type & b.affinity) != 0 || (b.type & a.affinity) != 0;
}

/// The contact of a <pair>. What it does not specify has MuJoCo's defaults, whatever its geoms say.
MjcfContact read_pair(const Element& pair, MjcfSource& source) {
  MjcfContact contact;
  XmlValues& values = source.values();
  contact.dimension = static_cast<int>(values.number(pair, "condim", contact.dimension));
  // Two of sliding, one of torsion, two of rolling.
  if (const auto friction = values.numbers(pair, "friction", 1, 5)) {
    const auto& f = *friction;
    contact.friction[0] = std::max(0.0, f[0]);
    if (f.size() > 2) contact.friction[1] = std::max(0.0, f[2]);
    if (f.size() > 3) contact.friction[2] = std::max(0.0, f[3]);
    if ((f.size() > 1 && f[1] != f[0]) || (f.size() > 4 && f[4] != f[3]))
      source.differ(pair.place, "anisotropic friction of a <pair>");
  }
  if (pair.find_attribute("solref") != nullptr || pair.find_attribute("solimp") != nullptr) {
    const MjcfSoftness own = read_softness(source, pair, "");
    if (pair.find_attribute("solref") != nullptr) contact.softness.reference = own.reference;
    if (pair.find_attribute("solimp") != nullptr) contact.softness.impedance = own.impedance;
  }
  contact.margin = read_distance(source, pair, "margin");
  contact.gap = read_distance(source, pair, "gap");
  return contact;
}

std::string name_of(std::size_t i) {
  return fmt::format("surface{}", i + 1);
}

}  // namespace

std::string MjcfMaterials::find(const MjcfContact& contact, const Place& place) {
  const auto known = std::find(contacts_.begin(), contacts_.end(), contact);
  const auto i = static_cast<std::size_t>(known - contacts_.begin());
  if (known == contacts_.end()) contacts_.push_back(contact), places_.push_back(place);
  return name_of(i);
}

const Element* MjcfMaterials::find_pair(const MjcfContact& a, const MjcfContact& b) const {
  if (a.paired_geom.empty() || b.paired_geom.empty()) return nullptr;
  for (const Element& pair : pairs_) {
    const std::string first = XmlValues::text(pair, "geom1"), second = XmlValues::text(pair, "geom2");
    if ((first == a.paired_geom && second == b.paired_geom) ||
        (first == b.paired_geom && second == a.paired_geom))
      return &pair;
  }
  return nullptr;
}

void MjcfMaterials::write(Scenario& scenario, MjcfSource& source) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Material& material = scenario.materials.emplace_back();
    material.name = name_of(i);
    material.friction = contacts_[i].dimension > 1 ? contacts_[i].friction[0] : 0.0;
  }
  const MjcfFirmness usual = to_firmness({}, source, {}, "");
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    for (std::size_t j = i; j < contacts_.size(); ++j) {
      ContactPair& pair = scenario.contacts.emplace_back();
      pair.a = name_of(i);
      pair.b = name_of(j);
      const Element* told = find_pair(contacts_[i], contacts_[j]);
      pair.collide = told != nullptr || touch(contacts_[i], contacts_[j]);
      if (!pair.collide) continue;
      const MjcfContact mix = told != nullptr ? read_pair(*told, source) : mixed(contacts_[i], contacts_[j]);
      pair.friction = mix.dimension >= 3 ? mix.friction[0] : 0.0;
      pair.torsional_friction = mix.dimension >= 4 ? mix.friction[1] : 0.0;
      pair.rolling_friction = mix.dimension >= 6 ? mix.friction[2] : 0.0;
      const MjcfFirmness firmness =
          to_firmness(mix.softness, source, places_[i], fmt::format("contacts of {} and {}", pair.a, pair.b));
      MjcfFirmness different;
      if (firmness.time_constant != usual.time_constant) different.time_constant = firmness.time_constant;
      if (firmness.damping_ratio != usual.damping_ratio) different.damping_ratio = firmness.damping_ratio;
      if (*firmness.impedance != *usual.impedance) different.impedance = firmness.impedance;
      pair.firmness = different.of_constraint();
      pair.firmness.own = write_own(MujocoContactOptions{different.impedance, mix.margin, mix.gap});
    }
  }
}

double read_distance(MjcfSource& source, const Element& element, const char* name) {
  constexpr double kMax = 1e3;
  const double value = source.values().number(element, name, 0.0), inside = std::clamp(value, 0.0, kMax);
  if (inside != value)
    source.differ(element.place,
                  fmt::format("{}: {} is {}; {} is used", subject_of(element), name, value, inside));
  return inside;
}

void read_mjcf_pairs(const MjcfImport& import, std::vector<MjcfBody>& bodies, MjcfMaterials& materials) {
  std::map<std::string, MjcfGeom*> geoms;
  std::map<const MjcfGeom*, int> body_of;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (MjcfGeom& geom : bodies[i].geoms) {
      geoms.emplace(geom.name, &geom);
      // Bodies without joints move with their parents.
      auto body = static_cast<int>(i);
      while (body > 0 && bodies[static_cast<std::size_t>(body)].joints.empty())
        body = bodies[static_cast<std::size_t>(body)].parent;
      body_of[&geom] = body;
    }
  }
  const auto parent_of = [&](int body) {
    int parent = body > 0 ? bodies[static_cast<std::size_t>(body)].parent : -1;
    while (parent > 0 && bodies[static_cast<std::size_t>(parent)].joints.empty())
      parent = bodies[static_cast<std::size_t>(parent)].parent;
    return parent;
  };
  for (const Element* element : import.source.section("contact")) {
    if (element->name != "pair") continue;
    Element pair = import.source.resolved(*element, "pair", "");
    const auto a = geoms.find(XmlValues::text(pair, "geom1")), b = geoms.find(XmlValues::text(pair, "geom2"));
    if (a == geoms.end() || b == geoms.end()) {
      import.source.differ(pair.place, "<pair> of <contact> with an unknown geom");
      continue;
    }
    const int body_a = body_of[a->second], body_b = body_of[b->second];
    if (body_a == body_b || (body_b > 0 && body_b == parent_of(body_a)) ||
        (body_a > 0 && body_a == parent_of(body_b)))
      import.source.differ(pair.place, subject_of(pair) + " of <contact>: parent and child do not collide");
    a->second->contact.paired_geom = a->first;
    b->second->contact.paired_geom = b->first;
    materials.add_pair(std::move(pair));
  }
}

void add_mjcf_exclusions(const MjcfImport& import, const MjcfLayout& layout) {
  for (const Element* element : import.source.section("contact")) {
    if (element->name == "pair") continue;  // read_mjcf_pairs()
    if (element->name != "exclude") {
      import.source.lose("<" + element->name + "> of <contact>");
      continue;
    }
    const auto a = layout.find_body(*element, "body1", import.diagnostics),
               b = layout.find_body(*element, "body2", import.diagnostics);
    if (!a || !b || *a == *b) continue;
    const auto full_name = [&](std::size_t body) {
      const MjcfLayout::Link& link = layout.links.at(static_cast<int>(body));
      return import.scenario.robots[link.robot].name + "/" + link.name;
    };
    if (*a == 0 || *b == 0) {
      import.source.differ(element->place, "<exclude> with the world");
    } else {
      import.scenario.exclusions.push_back({.place = element->place, .a = full_name(*a), .b = full_name(*b)});
    }
  }
}

}  // namespace lockstep
