#include <cstdio>

#include "cli/command.h"
#include "scenario/reference.h"
#include "scenario/xsd.h"

namespace lockstep {
namespace {

struct SchemaCommand {
  bool reference = false;  ///< Markdown instead of XSD
};

int print_schema(const SchemaCommand& command, const Registry& registry) {
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
  return {command, [options](const Registry& registry) { return print_schema(*options, registry); }};
}

}  // namespace lockstep
