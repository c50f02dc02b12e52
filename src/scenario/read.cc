#include "scenario/read.h"

#include <algorithm>

#include "scenario/describe.h"
#include "scenario/describe_chain.h"
#include "scenario/expand_chain.h"

namespace lockstep {

namespace {

/// Editors need these two to find the schema; the scenario does not use them.
bool is_schema_hint(const Attribute& attribute) {
  return attribute.name == "xmlns:xsi" || attribute.name == "xsi:noNamespaceSchemaLocation";
}

/// Engine-specific children: only of the engine in use, at most one per element.
class EngineChildrenCheck {
 public:
  EngineChildrenCheck(const Scenario& scenario, Diagnostics& diagnostics)
      : engine_(scenario.engine.name), diagnostics_(diagnostics) {}

  void check(std::string_view host, const std::vector<Element>& children) const {
    for (const Element& child : children) {
      if (child.name != engine_) {
        diagnostics_.error(child.place, "<{}> cannot contain <{}>; the engine is '{}', which takes <{}>", host,
                           child.name, engine_, engine_);
      } else if (&child != &children.front() && child.name == children.front().name) {
        diagnostics_.error(child.place, "<{}> contains {} <{}>; expected at most 1", host, children.size(),
                           engine_);
      }
    }
  }

 private:
  const std::string& engine_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_engine_children(const Scenario& scenario, Diagnostics& diagnostics) {
  const EngineChildrenCheck own(scenario, diagnostics);
  own.check("engine", scenario.engine.own);
  for (const ContactPair& pair : scenario.contacts) own.check("material_pair", pair.firmness.own);
  for (const Loop& loop : scenario.loops) own.check("loop", loop.firmness.own);
  for (const Robot& robot : scenario.robots) {
    for (const Link& link : robot.links) {
      if (link.joint) own.check("joint", link.joint->firmness.own);
    }
    for (const Loop& loop : robot.loops) own.check("loop", loop.firmness.own);
    for (const Coupling& coupling : robot.couplings) own.check("coupling", coupling.firmness.own);
  }
}

Scenario read_scenario(const Element& root, Diagnostics& diagnostics) {
  if (root.name != "scenario") {
    diagnostics.error(root.place, "the root is <{}>; expected <scenario>", root.name);
    return {};
  }
  Element plain = root;
  std::erase_if(plain.attributes, is_schema_hint);
  expand_chains(plain, diagnostics);
  Scenario scenario = read_fields<Scenario>(plain, diagnostics);
  check_engine_children(scenario, diagnostics);
  // Times must be multiples of the step, which is unknown here.
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
