#include "suite/suite.h"

#include <set>

#include "suite/describe_suite.h"

namespace lockstep {
namespace {

/// Gives a case what it does not have itself.
void inherit(CaseSetup& setup, const CaseSetup& from) {
  if (setup.scenario.empty()) setup.scenario = from.scenario;
  if (setup.controller.empty()) setup.controller = from.controller;
  if (!setup.max_wall) setup.max_wall = from.max_wall.value_or(kDefaultMaxWall);
  setup.changes.insert(setup.changes.begin(), from.changes.begin(), from.changes.end());
}

}  // namespace

Suite read_suite(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Document document = Document::read_file(file, diagnostics);
  const Element root = document.root();
  if (root.name != "suite") {
    diagnostics.error(root.place, "the root is <{}>; expected <suite>", root.name);
    diagnostics.throw_if_errors();
  }
  Suite suite = read_fields<Suite>(root, diagnostics);
  suite.folder = file.parent_path();
  std::set<std::string> names;
  for (Case& each : suite.cases) {
    if (!names.insert(each.name).second && each.name != kNoName) {
      diagnostics.error(each.place, "case '{}': another case has that name", each.name);
    }
    inherit(each.setup, suite.setup);
    if (each.setup.scenario.empty() && !diagnostics.is_broken(each.place)) {
      diagnostics.error(each.place, "case '{}': has no scenario; give it or the suite one", each.name);
    }
    for (ScriptItem& item : each.script) {
      if (auto* stimulus = std::get_if<Stimulus>(&item.what)) stimulus->event.place = item.place;
    }
  }
  diagnostics.throw_if_errors();
  return suite;
}

ElementSchema suite_schema() {
  ElementSchema schema =
      schema_of<Suite>("suite", "A test suite: cases that run a scenario, act on it and verify what happens.");
  schema.is_file_root = true;
  return schema;
}

}  // namespace lockstep
