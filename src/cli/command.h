#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "cli/exit_code.h"

/// A command is one file, src/cli/NAME.cc, with its options as a plain struct, the parser setup and the
/// function that executes it, and one line in the list of commands.cc.
namespace lockstep {

/// A command that has been added to the parser.
struct Command {
  CLI::App* app = nullptr;
  /// Executes the command after parsing. Returns the exit code; throws UserError for wrong input.
  std::function<int(const Registry&)> run;
  const std::vector<std::string>* edits = nullptr;  ///< its --set edits, for notes about errors
};

/// Adds all commands, in the order in which `lockstep --help` lists them.
void add_commands(CLI::App& app, std::vector<Command>& commands);

/// Options shared by several commands.
void add_edit_option(CLI::App* app, std::vector<std::string>& edits);
void add_scenario_options(CLI::App* app, std::string& scenario, std::vector<std::string>& edits);
void add_controller_option(CLI::App* app, std::vector<std::string>& controllers);

}  // namespace lockstep
