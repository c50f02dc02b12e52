#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// An XML element as plain data, free of the XML library. Every element and attribute knows where the user
/// wrote it, also when it came from an included file or from `--set`.
namespace lockstep {

struct Attribute {
  std::string name;
  std::string value;
  Place place;
};

struct Element {
  std::string name;
  Place place;
  std::vector<Attribute> attributes;
  std::vector<Element> children;
  std::string text;  ///< character data directly inside, trimmed

  const Attribute* find_attribute(std::string_view attribute_name) const;
};

/// The meaning of <controllers> in a robot, in a scenario and in a state.
inline constexpr std::string_view kControllersDoc =
    "Controllers: each reads signals and writes commands. Those of a <state> run while it lasts and start "
    "again "
    "whenever it is entered, with their time at zero.";
}  // namespace lockstep
