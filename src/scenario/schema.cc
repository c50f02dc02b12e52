#include "scenario/schema.h"

#include "scenario/describe.h"

namespace lockstep {

namespace {

void fill_containers(ElementSchema& element, const DeviceSchemas& devices) {
  const std::pair<std::string_view, const std::vector<ElementSchema>*> kinds[] = {
      {"sensors", &devices.sensors},         {"actuators", &devices.actuators},
      {"controllers", &devices.controllers}, {"subsystems", &devices.subsystems},
      {"observers", &devices.observers},
  };
  for (ChildSchema& child : element.children) {
    for (const auto& [container, list] : kinds) {
      if (!child.element.is_container || child.element.name != container) continue;
      for (const ElementSchema& kind : *list) child.element.children.push_back({.element = kind});
    }
    fill_containers(child.element, devices);
  }
}

AttributeSchema src_attribute(bool required, std::string doc) {
  AttributeSchema attribute;
  attribute.name = "src";
  attribute.type = ValueType::kText;
  attribute.required = required;
  attribute.doc = std::move(doc);
  return attribute;
}

/// <include> and the src of <robot> are gone before a struct is made, so no describe() knows them.
void add_includes(ElementSchema& scenario) {
  ElementSchema include;
  include.name = "include";
  include.doc = "Stands for the children of the <scenario> in another file, or for the <robot> in it.";
  include.attributes.push_back(src_attribute(true, "The file, relative to the file this stands in."));
  scenario.children.insert(scenario.children.begin(), ChildSchema{.element = std::move(include)});

  for (ChildSchema& child : scenario.children) {
    if (child.element.name != "robot") continue;
    child.element.is_file_root = true;
    for (AttributeSchema& attribute : child.element.attributes) {
      if (attribute.name != "name") continue;
      attribute.required = false;
      attribute.doc += " It must stand here or in the file of src.";
    }
    child.element.attributes.push_back(
        src_attribute(false,
                      "File with a <robot> whose attributes and children are taken over. Attributes written "
                      "here win; children written here come after those of the file."));
  }
}

}  // namespace

ElementSchema scenario_schema(const DeviceSchemas& devices) {
  ElementSchema schema = schema_of<Scenario>("scenario", "A whole experiment.");
  schema.is_file_root = true;
  add_includes(schema);
  fill_containers(schema, devices);
  return schema;
}

}  // namespace lockstep
