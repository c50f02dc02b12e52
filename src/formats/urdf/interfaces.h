#pragma once

#include <map>
#include <string>

#include "formats/urdf/urdf.h"

namespace lockstep {

/// Adds what a <transmission> or a <ros2_control> says about the commands of its joints. If a joint has several
/// kinds of commands, position precedes velocity, and velocity effort.
void read_interfaces(const Element& element, std::map<std::string, UrdfInterface>& interfaces,
                     FormatReport& report);

}  // namespace lockstep
