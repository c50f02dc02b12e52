#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "design/result.h"
#include "design/script.h"

/// The commands of `lockstep model`, as those of commands.h.
namespace lockstep {

/// Where parts come from.
struct PartsSource {
  std::string file;                   ///< of parts, or a modelling script that names it
  std::optional<std::string> source;  ///< instead of the file that the script names
  std::optional<std::string> unit;    ///< "1 mm"
};

struct ModelRunCommand {
  PartsSource script;
  std::string output;
  bool embed = false;
};
int model_run(const ModelRunCommand& command, const Registry& registry);

struct ModelPartsCommand {
  PartsSource source;
  bool json = false;
};
int model_parts(const ModelPartsCommand& command);

struct ModelFeaturesCommand {
  PartsSource source;
  std::string part;
  bool json = false;
};
int model_features(const ModelFeaturesCommand& command);

struct ModelCheckCommand {
  PartsSource script;                       ///< or a scenario
  std::optional<std::string> expectations;  ///< a file of them, for a scenario
  std::optional<std::string> pictures;      ///< folder
  bool json = false;
};
int model_check(const ModelCheckCommand& command, const Registry& registry);

struct ModelNewCommand {
  std::string file;
  std::string output;
  std::string robot = "robot";
  std::optional<std::string> unit;
};
int model_new(const ModelNewCommand& command);

struct ModelApplyCommand {
  PartsSource script;
  std::string operation;
  std::vector<std::string> settings;  ///< "parent=base"
};
int model_apply(const ModelApplyCommand& command);

struct ModelUndoCommand {
  std::string script;
};
int model_undo(const ModelUndoCommand& command);

int print_model_reference(const Registry& registry);

/// A script that was read and carried out.
struct CarriedOut {
  ModellingScript script;
  std::filesystem::path folder;  ///< of the script
  Design design;
  ImportNotes notes;
};
CarriedOut carry_out(const PartsSource& source, const Document& document);

/// Finds files beside a script.
ReadFile files_beside(const std::filesystem::path& folder);

}  // namespace lockstep
