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
  return read_fields<Scenario>(plain, diagnostics);
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
