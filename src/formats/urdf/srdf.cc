#include "formats/urdf/srdf.h"

#include "formats/common/lenient_xml.h"
#include "formats/common/xml_values.h"
#include "scenario/xml_text.h"

namespace lockstep {
namespace {

/// A robot of n links has n (n - 1) / 2 pairs; more than this is not a robot.
constexpr std::size_t kMaxPairs = 50'000;

void read_pair(const Element& element, Srdf& srdf, FormatReport& report) {
  const std::string a = XmlValues::text(element, "link1"), b = XmlValues::text(element, "link2");
  if (a.empty() || b.empty() || a == b) {
    report.suspicious.push_back(fmt::format("{}: <disable_collisions> does not name two links; it is ignored",
                                            to_string(element.place)));
  } else if (srdf.disabled.size() < kMaxPairs) {
    srdf.disabled.emplace_back(a, b);
  }
}

/// States of several groups may share a name: together they are one pose.
void read_state(const Element& element, Srdf& srdf, XmlValues& values) {
  std::map<std::string, double>& state = srdf.states[XmlValues::text(element, "name")];
  for (const Element& joint : element.children) {
    if (joint.name != "joint") continue;
    // Joints with several values are those of a moving base.
    const auto position = values.numbers(joint, "value", 1, 7);
    if (position && position->size() == 1) state[XmlValues::text(joint, "name")] = position->front();
  }
}

}  // namespace

Srdf read_srdf(const ImportSource& source, FormatReport& report) {
  const Element root = read_xml(as_strict_xml(source, report), source.name);
  if (root.name != "robot")
    throw_user_error(root.place, "the root is <{}>; expected <robot> of SRDF", root.name);
  Diagnostics diagnostics;
  XmlValues values(diagnostics, report);
  Srdf srdf;
  for (const Element& child : root.children) {
    if (child.name == "disable_collisions") {
      read_pair(child, srdf, report);
    } else if (child.name == "group_state") {
      read_state(child, srdf, values);
    } else if (child.name == "passive_joint") {
      srdf.passive.insert(XmlValues::text(child, "name"));
    } else if (child.name == "virtual_joint") {
      srdf.is_floating |= XmlValues::text(child, "type") == "floating";
    }
  }
  diagnostics.throw_if_errors();
  return srdf;
}

}  // namespace lockstep
