#include "scenario/element_paths.h"

#include <fmt/format.h>

namespace lockstep {

ElementPaths::ElementPaths(const Element& root) {
  add(root, "/" + root.name, "");
}

void ElementPaths::add(const Element& element, const std::string& path, const std::string& robot) {
  const Attribute* name = element.find_attribute("name");
  const std::string& owner = element.name == "robot" && name != nullptr ? name->value : robot;
  paths_.emplace(Key{owner, element.place.file, element.place.line, element.place.column}, path);
  std::map<std::string, int> counts;
  for (const Element& child : element.children)
    add(child, fmt::format("{}/{}[{}]", path, child.name, ++counts[child.name]), owner);
}

std::string ElementPaths::find(const Place& place, const std::string& robot) const {
  const auto found = paths_.find({robot, place.file, place.line, place.column});
  return found != paths_.end() ? found->second : robot.empty() ? "" : find(place, "");
}

}  // namespace lockstep
