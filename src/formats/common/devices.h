#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "scenario/element.h"
#include "scenario/field_format.h"

namespace lockstep {

/// A device as a scenario writes it: <torque name="elbow" joint="elbow"/>.
inline Element make_device(std::string_view kind, const std::string& name,
                           std::initializer_list<std::pair<std::string_view, std::string>> attributes) {
  Element device{.name = std::string(kind), .place = {}, .attributes = {}, .children = {}, .text = {}};
  device.attributes.push_back({"name", name, {}});
  for (const auto& [attribute, value] : attributes)
    device.attributes.push_back({std::string(attribute), value, {}});
  return device;
}

}  // namespace lockstep
