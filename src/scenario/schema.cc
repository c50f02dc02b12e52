#include "scenario/schema.h"

#include <algorithm>

#include "scenario/describe.h"
#include "scenario/describe_chain.h"

namespace lockstep {

namespace {

bool has_container(const ElementSchema& element) {
  return std::any_of(element.children.begin(), element.children.end(), [](const ChildSchema& child) {
    return child.element.is_container || has_container(child.element);
  });
}

/// A device inside a device cannot contain further devices; otherwise the schema would be infinite.
void fill_containers(ElementSchema& element, const DeviceSchemas& devices, bool is_in_device = false) {
  const std::pair<std::string_view, const std::vector<ElementSchema>*> kinds[] = {
      {"sensors", &devices.sensors},         {"actuators", &devices.actuators},
      {"controllers", &devices.controllers}, {"connections", &devices.connections},
      {"subsystems", &devices.subsystems},   {"observers", &devices.observers},
      {"faults", &devices.faults},
  };
  for (ChildSchema& child : element.children) {
    for (const auto& [container, list] : kinds) {
      if (!child.element.is_container || child.element.name != container) continue;
      for (const ElementSchema& kind : *list) {
        if (is_in_device && has_container(kind)) continue;
        child.element.children.push_back({.element = kind});
        fill_containers(child.element.children.back().element, devices, true);
      }
    }
    if (!child.element.is_container) fill_containers(child.element, devices, is_in_device);
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

/// <include> and the src of <robot> are expanded before structs are read, so no describe() lists them.
void add_includes(ElementSchema& scenario) {
  ElementSchema include;
  include.name = "include";
  include.doc = "Replaced by the children of the <scenario> in another file, or by the <robot> in it.";
  include.attributes.push_back(src_attribute(true, "The file, relative to the file this is in."));
  scenario.children.insert(scenario.children.begin(), ChildSchema{.element = std::move(include)});

  for (ChildSchema& child : scenario.children) {
    if (child.element.name != "robot") continue;
    child.element.is_file_root = true;
    for (AttributeSchema& attribute : child.element.attributes) {
      if (attribute.name != "name") continue;
      attribute.required = false;
      attribute.doc += " Required here or in the file of src.";
    }
    child.element.attributes.push_back(
        src_attribute(false,
                      "File with a <robot> whose attributes and children are used. Attributes given "
                      "here override them; children given here follow those of the file."));
  }
}

/// Likewise <chain> of <robot>.
void add_chains(ElementSchema& scenario) {
  for (ChildSchema& child : scenario.children) {
    if (child.element.name != "robot") continue;
    child.element.children.push_back(
        {.element = schema_of<Chain>(
             "chain",
             "A row of modules with one hinge each. It expands into links, joints, servos and sensors.")});
  }
}

}  // namespace

void add_engine_children(ElementSchema& element, const std::vector<EngineChildSchema>& engine_children) {
  for (ChildSchema& child : element.children) add_engine_children(child.element, engine_children);
  for (const EngineChildSchema& own : engine_children) {
    if (element.engine_host == own.host) element.children.push_back({.max = 1, .element = own.element});
  }
}

ElementSchema scenario_schema(const DeviceSchemas& devices) {
  ElementSchema schema = schema_of<Scenario>("scenario", "A simulation scenario.");
  schema.is_file_root = true;
  add_includes(schema);
  add_chains(schema);
  fill_containers(schema, devices);
  add_engine_children(schema, devices.engine_children);
  return schema;
}

}  // namespace lockstep
