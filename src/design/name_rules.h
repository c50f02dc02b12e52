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

/// Rules that turn the names of parts into links, motors, sensors and the ports they are connected to.
///
/// A rule has a keyword, such as "lgtouch#", where '#' matches a number. It matches a part or group whose label
/// contains the keyword, case-insensitive. Of several matching rules the first one applies; a part without a
/// rule belongs to the nearest group with one. Devices of a rule are templates with the placeholders
///
///     {name}       the keyword with its number: "lgtouch3"
///     {port}       the number, plus the rule's `first_port`
///     {length}     the length of a beam, m; {length_mm} in millimetres
namespace lockstep {

enum class RuleAction {
  kRobot,   ///< the group is the robot; parts without another rule are its link "base"
  kBase,    ///< belongs to "base", and may have devices
  kLink,    ///< a separate link; its parent is the nearest group that is a link
  kBeam,    ///< not a body: becomes a site "NAME" at its near end, x along its longest side
  kObject,  ///< an object; inside the robot, a separate link
  kOmit,    ///< not simulated
};

/// The joint of a link that a rule makes; it has the name of the link. The anchor, and the default axis,
/// are those of the largest cylinder or hole, or of the shortest side of the bounding box.
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
  v.choice("type", j.type, kJointTypes, {.doc = "Type of the joint."});
  v.vector("axis", j.axis, {.doc = "In the assembly. Default: from the shape."});
  v.number("damping", j.damping, {.unit = "N*m*s/rad or N*s/m", .min = 0.0, .doc = "Viscous friction."});
  v.number("friction", j.friction, {.unit = "N*m or N", .min = 0.0, .doc = "Dry friction."});
  v.number("armature", j.armature, {.unit = "kg*m^2 or kg", .min = 0.0, .doc = "Rotor inertia."});
}

template <class V>
void describe(V& v, NameRule& r) {
  v.text("keyword", r.keyword,
         {.doc = "Text in the name of a part or group; '#' is a number.", .required = true});
  v.choice("as", r.action, kRuleActions, {.doc = "What the part becomes.", .required = true});
  v.text("inside", r.inside, {.doc = "Only inside a group whose name contains this keyword."});
  v.integer("first_port", r.first_port, {.min = 0.0, .max = 1e6, .doc = "Port of number 0."});
  v.integer("ports", r.ports, {.min = 1.0, .max = 1e6, .doc = "Number of ports; numbers must be below it."});
  v.flag("carries", r.carries, {.doc = "The link is the parent of the base, instead of its child."});
  v.flag("static", r.is_static, {.doc = "Whether the object never moves."});
  v.text("material", r.material, {.doc = "Material of the link or object."});
  v.child("joint", r.joint, {.doc = kJointDoc});
  v.container("sensors", r.devices.sensors, {.doc = "Templates of sensors."});
  v.container("actuators", r.devices.actuators, {.doc = "Templates of actuators."});
  v.container("ports", r.port_elements, {.doc = "Templates of elements of the connection."});
}

template <class V>
void describe(V& v, NameRules& r) {
  v.children("material", r.materials,
             {.doc = "Materials used by rules; those of the scenario take precedence."});
  v.container("connections", r.connections, {.doc = kConnectionsDoc});
  v.children("rule", r.rules, {.doc = "Rule for one keyword."}, {1});
}

/// Throws UserError with all errors.
NameRules read_name_rules(std::string_view text, const std::string& file);
/// Bundled rules by name. Throws UserError at `place` if there are none of that name.
NameRules read_bundled_rules(std::string_view name, const Place& place);

/// The operations that the names of an assembly result in. Throws UserError at `place`: two parts at one port,
/// a number that is too large, two robots.
std::vector<Operation> find_operations(const Design& design, const NameRules& rules, const Place& place);

}  // namespace lockstep
