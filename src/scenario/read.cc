#include "scenario/read.h"

#include <algorithm>

#include "scenario/describe.h"
#include "scenario/describe_chain.h"
#include "scenario/expand_chain.h"

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
  Element plain = root;
  std::erase_if(plain.attributes, is_schema_hint);
  expand_chains(plain, diagnostics);
  Scenario scenario = read_fields<Scenario>(plain, diagnostics);
  // Every time is a multiple of a step that is unknown.
  const Attribute* step = plain.find_attribute("step");
  if (step != nullptr ? diagnostics.has_error_at(step->place) : diagnostics.is_broken(root.place))
    scenario.step = Duration{1};
  return scenario;
}

Scenario read_scenario(const Document& document) {
  Diagnostics diagnostics;
  Scenario scenario = read_scenario(document.root(), diagnostics);
  diagnostics.throw_if_errors();
  return scenario;
}

Chain read_chain(const Element& element, Diagnostics& diagnostics) {
  return read_fields<Chain>(element, diagnostics);
}

}  // namespace lockstep
