#include "scenario/read.h"

#include <algorithm>

#include "scenario/describe.h"

namespace lockstep {

namespace {

/// Editors need these two to find the schema; they say nothing about the scenario.
bool is_schema_hint(const Attribute& attribute) {
  return attribute.name == "xmlns:xsi" || attribute.name == "xsi:noNamespaceSchemaLocation";
}

}  // namespace

Scenario read_scenario(const Element& root, Diagnostics& diagnostics) {
  if (root.name != "scenario") {
    diagnostics.error(root.place, "the root is <{}>; expected <scenario>", root.name);
    return {};
  }
  if (std::none_of(root.attributes.begin(), root.attributes.end(), is_schema_hint)) {
    return read_fields<Scenario>(root, diagnostics);
  }
  Element without_hints = root;
  std::erase_if(without_hints.attributes, is_schema_hint);
  return read_fields<Scenario>(without_hints, diagnostics);
}

Scenario read_scenario(const Document& document) {
  Diagnostics diagnostics;
  Scenario scenario = read_scenario(document.root(), diagnostics);
  diagnostics.throw_if_errors();
  return scenario;
}

}  // namespace lockstep
