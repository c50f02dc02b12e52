#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/operation.h"
#include "scenario/describe.h"

/// Rules by which the names of parts say what they are: links, motors, sensors and the ports they are plugged
/// into.
///
/// A rule has a keyword, such as "lgtouch#", where '#' stands for a number. It fits a part, or a group with all
/// in it, whose label contains the keyword, capitals or not. Of several rules the first one counts, and for a
/// part the nearest group that has a rule. Devices of a rule are templates, in which
///
///     {name}       is the name that is made of the keyword: "lgtouch3"
///     {port}       the number, plus the rule's `first_port`
///     {length}     the length of a beam, m; {length_mm} in millimetres
namespace lockstep {

enum class RuleAction {
  kRobot,   ///< the group is the robot; what no other rule takes is its link "base"
  kBase,    ///< belongs to "base", and may have devices
  kLink,    ///< a link of its own on the nearest group that is one, welded or with a joint
  kBeam,    ///< no matter but a mark: a site "NAME" at its near end, x along its longest side
  kObject,  ///< a body beside the robot; inside it, a link of its own
  kOmit,    ///< not simulated
};

/// The joint of a link that a rule makes; it has the name of the link. The anchor, and the axis if it is left
/// out, are those of the largest cylinder or hole, or of the shortest side of the bounding box.
struct RuleJoint {
  JointType type = JointType::kHinge;
  std::optional<Vec3> axis;
  double damping = 0.0;
  double friction = 0.0;
  double armature = 0.0;
};

struct NameRule {
  Place place;
  std::string keyword;
  RuleAction action = RuleAction::kLink;
  std::string inside;
  std::int64_t first_port = 0;
  std::optional<std::int64_t> ports;
  bool carries = false;
  bool is_static = false;
  std::string material;
  std::optional<RuleJoint> joint;
  Devices devices;
  std::vector<Element> port_elements;
};

struct NameRules {
  std::vector<Material> materials;
  std::vector<Element> connections;
  std::vector<NameRule> rules;
};

inline constexpr std::array<std::pair<std::string_view, RuleAction>, 6> kRuleActions = {{
    {"robot", RuleAction::kRobot},
    {"base", RuleAction::kBase},
    {"link", RuleAction::kLink},
    {"beam", RuleAction::kBeam},
    {"object", RuleAction::kObject},
    {"leave-out", RuleAction::kOmit},
}};

template <class V>
void describe(V& v, RuleJoint& j) {
  v.choice("type", j.type, kJointTypes, {.doc = "As of a joint."});
  v.vector("axis", j.axis, {.doc = "In the assembly. Default: from the shape."});
  v.number("damping", j.damping, {.unit = "N*m*s/rad or N*s/m", .min = 0.0, .doc = "Viscous friction."});
  v.number("friction", j.friction, {.unit = "N*m or N", .min = 0.0, .doc = "Dry friction."});
  v.number("armature", j.armature, {.unit = "kg*m^2 or kg", .min = 0.0, .doc = "Inertia of the rotor."});
}

template <class V>
void describe(V& v, NameRule& r) {
  v.text("keyword", r.keyword,
         {.doc = "Text in the name of a part or group; '#' is a number.", .required = true});
  v.choice("as", r.action, kRuleActions, {.doc = "What it is.", .required = true});
  v.text("inside", r.inside, {.doc = "Only inside a group whose name contains this keyword."});
  v.integer("first_port", r.first_port, {.min = 0.0, .max = 1e6, .doc = "Port of the number 0."});
  v.integer("ports", r.ports, {.min = 1.0, .max = 1e6, .doc = "How many numbers there are: 0 up to one less."});
  v.flag("carries", r.carries, {.doc = "The base hangs on this link, instead of this link on the base."});
  v.flag("static", r.is_static, {.doc = "An object that stands still for ever."});
  v.text("material", r.material, {.doc = "Material of the link or object."});
  v.child("joint", r.joint, {.doc = kJointDoc});
  v.container("sensors", r.devices.sensors, {.doc = "Templates of sensors."});
  v.container("actuators", r.devices.actuators, {.doc = "Templates of actuators."});
  v.container("ports", r.port_elements, {.doc = "Templates of what goes into the link of the rules."});
}

template <class V>
void describe(V& v, NameRules& r) {
  v.children("material", r.materials,
             {.doc = "Materials that rules name; one that the scenario has is taken from there."});
  v.container("connections", r.connections, {.doc = kConnectionsDoc});
  v.children("rule", r.rules, {.doc = "One kind of name."}, {1});
}

/// Throws UserError with everything that is wrong.
NameRules read_name_rules(std::string_view text, const std::string& file);
/// Rules that come with Lockstep, by name. Throws UserError at `place` if there are none of that name.
NameRules read_bundled_rules(std::string_view name, const Place& place);

/// What the names in an assembly amount to. Throws UserError at `place`: two parts at one port, a number that
/// is too large, two robots.
std::vector<Operation> find_operations(const Design& design, const NameRules& rules, const Place& place);

}  // namespace lockstep
