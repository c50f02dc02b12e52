#include "lockstep/command_line.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string_view>

#include "assemble/assemble.h"
#include "base/text.h"
#include "cli/command.h"

namespace lockstep {
namespace {

/// After a --set edit, an error may point to an element whose text in the file is different.
void note_edits(std::string_view errors, const std::vector<std::string>& edits) {
  if (errors.find("--set") != std::string_view::npos) return;
  for (const std::string& edit : edits) {
    fmt::print(stderr, "--set {}: note: this edit was applied before the check\n", shown_text(edit));
  }
}

/// Runs a command and turns exceptions into an error message and exit code.
int run_guarded(const Command& command, const Registry& registry) {
  try {
    return command.run(registry);
  } catch (const UserError& error) {
    std::fputs(error.what(), stderr);
    if (command.edits != nullptr) note_edits(error.what(), *command.edits);
    return kExitUser;
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
    return kExitOutcome;
  }
}

}  // namespace

void add_edit_option(CLI::App* app, std::vector<std::string>& edits) {
  app->add_option("--set", edits,
                  "Change the scenario: XPATH=VALUE, such as //joint[@name='elbow']/@damping=0.2")
      ->type_name("XPATH=VALUE")
      ->allow_extra_args(false);
}

void add_scenario_options(CLI::App* app, std::string& scenario, std::vector<std::string>& edits) {
  app->add_option("scenario", scenario, "Scenario file")->required();
  add_edit_option(app, edits);
}

void add_controller_option(CLI::App* app, std::vector<std::string>& controllers) {
  app->add_option(
         "--controller", controllers,
         "Start this controller; LOCKSTEP_ADDRESS holds the address of its connection; may be repeated")
      ->type_name("COMMAND")
      ->allow_extra_args(false);
}

int run_command_line(int argc, char** argv, const Registry& registry) {
  CLI::App app("Lockstep simulates robots and machines with their controller in the loop.", "lockstep");
  app.set_version_flag("--version", LOCKSTEP_VERSION);
  app.require_subcommand(1);
  std::vector<Command> commands;
  add_commands(app, commands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUser;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run_guarded(command, registry);
  }
  return kExitUser;
}

}  // namespace lockstep
