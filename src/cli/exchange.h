#pragma once

#include <string>
#include <vector>

#include "assemble/registry.h"

/// The commands that read and write files of other programs, as those of commands.h.
namespace lockstep {

/// What 1 means in files without units, as text: "100 mm". Empty: what the format takes it for.
struct ExchangeUnits {
  std::string length;
  std::string mass = "1 g";
};

struct ImportCommand {
  std::string file;
  std::string output;
  std::string format;  ///< by the file itself if empty
  ExchangeUnits units;
  std::vector<std::string> packages;  ///< "NAME=FOLDER"
  std::string root;                   ///< folder below which files may be read; by the file if empty
  std::string base = "fixed";         ///< or "free"
  std::string density = "1000 kg/m^3";
  std::string keyframe;
};
int import_file(const ImportCommand& command, const Registry& registry);

struct ExportCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::string output;
  std::string format;  ///< by the ending of the output if empty
  ExchangeUnits units;
  std::string robot;  ///< which one, for formats that hold one
};
int export_scenario(const ExportCommand& command);

struct PosesCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::vector<std::string> joints;  ///< "NAME=VALUE"
  bool json = false;
};
/// Prints where each link and object is at the start, or with the joints elsewhere.
int print_poses(const PosesCommand& command, const Registry& registry);

/// Prints a scenario, once it is found to be right, with includes, edits and chains carried out.
int print_expanded(const std::string& scenario, const std::vector<std::string>& edits,
                   const Registry& registry);

}  // namespace lockstep
