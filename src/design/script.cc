#include "design/script.h"

#include "design/name_rules.h"

namespace lockstep {

DesignScript read_script(const Document& document) {
  const Element root = document.root();
  if (root.name != "design") throw_user_error(root.place, "the root is <{}>; expected <design>", root.name);
  Diagnostics diagnostics;
  DesignScript script = read_fields<DesignScript>(root, diagnostics);
  diagnostics.throw_if_errors();
  return script;
}

Design run_script(const DesignScript& script, Assembly assembly, const OperationContext& context) {
  Design design;
  design.assembly = std::make_shared<const Assembly>(std::move(assembly));
  design.robot = script.robot;
  design.pose = script.pose;
  design.environment = script.scenario;
  for (const Operation& operation : script.operations) design = apply(design, operation, context);
  return design;
}

ElementSchema script_schema() {
  return schema_of<DesignScript>(
      "design",
      "A design script: operations that make a robot out of parts, in their order. A <scenario> in it, "
      "which may "
      "have all elements of a scenario, is the scenario around the robot: materials, ground, step.");
}

}  // namespace lockstep
