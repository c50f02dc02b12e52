#include <cstdio>

#include "cli/command.h"
#include "scenario/reference.h"
#include "scenario/xsd.h"
#include "suite/suite.h"

namespace lockstep {
namespace {

struct SchemaCommand {
  bool reference = false;  ///< Markdown instead of XSD
  bool suite = false;      ///< of suite files
};

int print_schema(const SchemaCommand& command, const Registry& registry) {
  if (command.suite) {
    const ElementSchema schema = suite_schema();
    const std::string text = command.reference
                                 ? write_reference(schema, {.heading = "Suite files", .file = "a suite file"})
                                 : write_xsd(schema);
    std::fputs(text.c_str(), stdout);
    return kExitDone;
  }
  const ElementSchema schema = scenario_schema(registry);
  const std::string text = command.reference
                               ? write_reference(schema) + describe_engines(registry.lists().engines)
                               : write_xsd(schema);
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace

Command add_schema_command(CLI::App& app) {
  auto options = std::make_shared<SchemaCommand>();
  CLI::App* command = app.add_subcommand("schema", "Print the XML schema (XSD) of scenario files, for editors");
  command->footer(
      "Examples:\n"
      R"(  lockstep schema > lockstep.xsd)");
  command->add_flag("--reference", options->reference, "Print the reference as Markdown instead");
  command->add_flag("--suite", options->suite, "Of suite files (lockstep test) instead of scenario files");
  return {command, [options](const Registry& registry) { return print_schema(*options, registry); }};
}

}  // namespace lockstep
