#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/run_log.h"
#include "scenario/assets.h"
#include "scenario/document.h"

namespace lockstep {
namespace {

struct PackCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::string output;
};

int pack_scenario(const PackCommand& command) {
  if (is_same_file(command.output, command.scenario)) {
    throw_user_error({"--output", 0, 0}, "'{}' is the scenario itself", command.output);
  }
  Document document = Document::read_file(command.scenario);
  apply_edits(document, command.edits);
  write_file(command.output, pack(document));
  return kExitDone;
}

}  // namespace

Command add_pack_command(CLI::App& app) {
  auto options = std::make_shared<PackCommand>();
  CLI::App* command = app.add_subcommand("pack", "Bundle a scenario and all its files into one file");
  command->footer(
      "Examples:\n"
      R"(  lockstep pack scenarios/chains/snake-hills.xml -o snake-hills.xml)");
  add_scenario_options(command, options->scenario, options->edits);
  command->add_option("-o,--output", options->output, "File to write")->required()->type_name("FILE");
  return {command, [options](const Registry&) { return pack_scenario(*options); }, &options->edits};
}

}  // namespace lockstep
