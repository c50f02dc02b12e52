#include "formats/urdf/interfaces.h"

#include "formats/common/xml_values.h"
#include "scenario/xml_text.h"

namespace lockstep {
namespace {

/// "hardware_interface/PositionJointInterface", "PositionJointInterface" and "position" are a servo.
std::optional<DriveKind> kind_of_interface(std::string_view text) {
  text = xml::trim(text);
  if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos) text.remove_prefix(slash + 1);
  const auto is = [&](std::string_view lower, std::string_view upper) {
    return text == lower || text.starts_with(upper);
  };
  if (is("position", "Position")) return DriveKind::kServo;
  if (is("velocity", "Velocity")) return DriveKind::kSpeed;
  if (is("effort", "Effort")) return DriveKind::kTorque;
  return std::nullopt;
}

void add_kind(UrdfInterface& interface, std::optional<DriveKind> kind) {
  // The enumeration is in the order of precedence.
  if (kind && (!interface.kind || *kind < *interface.kind)) interface.kind = kind;
}

/// <param name="initial_value">0.2</param> of the state interface "position".
void read_initial(const Element& state, UrdfInterface& interface, XmlValues& values) {
  if (XmlValues::text(state, "name") != "position") return;
  for (const Element& child : state.children) {
    if (child.name != "param" || XmlValues::text(child, "name") != "initial_value") continue;
    Element number = child;
    number.attributes = {{"initial_value", child.text, child.place}};
    if (const auto initial = values.number(number, "initial_value")) interface.initial = initial;
  }
}

}  // namespace

void read_interfaces(const Element& element, std::map<std::string, UrdfInterface>& interfaces,
                     FormatReport& report) {
  Diagnostics diagnostics;  // the values are lenient: stays empty, except for substitutions
  XmlValues values(diagnostics, report);
  // Old files have the interface in <actuator>, next to <joint>.
  std::optional<DriveKind> of_actuator;
  for (const Element& child : element.children) {
    if (child.name != "actuator") continue;
    if (const Element* interface = find_child(child, "hardwareInterface"))
      of_actuator = kind_of_interface(interface->text);
  }
  for (const Element& child : element.children) {
    const std::string joint = child.name == "joint" ? XmlValues::text(child, "name") : "";
    if (joint.empty()) continue;
    UrdfInterface& interface = interfaces[joint];
    bool says = false;
    for (const Element& inside : child.children) {
      if (inside.name == "hardwareInterface") {
        says = true;
        add_kind(interface, kind_of_interface(inside.text));
      } else if (inside.name == "command_interface") {
        says = true;
        add_kind(interface, kind_of_interface(XmlValues::text(inside, "name")));
      } else if (inside.name == "state_interface") {
        read_initial(inside, interface, values);
      }
    }
    if (!says) add_kind(interface, of_actuator);
    // In <ros2_control> a joint without commands is only measured.
    if (!says && element.name == "ros2_control" && !interface.kind) interface.kind = DriveKind::kNone;
  }
  for (const Diagnostic& each : diagnostics.list()) report.suspicious.push_back(to_string(each));
}

}  // namespace lockstep
