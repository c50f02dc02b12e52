#pragma once

#include <string>
#include <vector>

#include "assemble/registry.h"

/// The commands that read and write files of other programs, as those of commands.h.
namespace lockstep {

/// What 1 means in files without units, as text: "100 mm".
struct ExchangeUnits {
  std::string length = "100 mm";
  std::string mass = "1 g";
};

struct ImportCommand {
  std::string file;
  std::string output;
  std::string format;  ///< by the file itself if empty
  ExchangeUnits units;
};
int import_file(const ImportCommand& command, const Registry& registry);

struct ExportCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::string output;
  std::string format;  ///< by the ending of the output if empty
  ExchangeUnits units;
};
int export_scenario(const ExportCommand& command);

/// Prints a scenario, once it is found to be right, with includes, edits and chains carried out.
int print_expanded(const std::string& scenario, const std::vector<std::string>& edits,
                   const Registry& registry);

}  // namespace lockstep
