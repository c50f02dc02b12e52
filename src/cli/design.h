#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "design/result.h"
#include "design/script.h"

/// The subcommands of `lockstep design`, like those in command.h.
namespace lockstep {

/// Where parts come from.
struct PartsSource {
  std::string file;                   ///< file of parts, or a design script that names it
  std::optional<std::string> source;  ///< overrides the file named in the script
  std::optional<std::string> unit;    ///< "1 mm"
};

struct DesignRunCommand {
  PartsSource script;
  std::string output;
  bool embed = false;
};
int design_run(const DesignRunCommand& command, const Registry& registry);

struct DesignPartsCommand {
  PartsSource source;
  bool json = false;
};
int design_parts(const DesignPartsCommand& command);

struct DesignFeaturesCommand {
  PartsSource source;
  std::string part;
  bool json = false;
};
int design_features(const DesignFeaturesCommand& command);

struct DesignCheckCommand {
  PartsSource script;                       ///< script or scenario
  std::optional<std::string> expectations;  ///< file of <expectations>, for a scenario
  std::optional<std::string> images;        ///< folder
  bool json = false;
};
int design_check(const DesignCheckCommand& command, const Registry& registry);

struct DesignNewCommand {
  std::string file;
  std::string output;
  std::string robot = "robot";
  std::optional<std::string> unit;
};
int design_new(const DesignNewCommand& command);

struct DesignApplyCommand {
  PartsSource script;
  std::string operation;
  std::vector<std::string> settings;  ///< "parent=base"
};
int design_apply(const DesignApplyCommand& command);

struct DesignUndoCommand {
  std::string script;
};
int design_undo(const DesignUndoCommand& command);

int print_design_reference(const Registry& registry);

/// A script that was read and executed.
struct CarriedOut {
  DesignScript script;
  std::filesystem::path folder;  ///< of the script
  Design design;
  ImportNotes notes;
};
CarriedOut carry_out(const PartsSource& source, const Document& document);

/// Finds files beside a script.
ReadFile files_beside(const std::filesystem::path& folder);

}  // namespace lockstep
